/** The calls to the server over HTTP. */

import type {
  Analysis,
  DeviceLink,
  ErrorInfo,
  History,
  Lobby,
  Me,
  NewTable,
  Problem,
  Replay,
  SeatChange,
  Statistics,
  TableInfo,
  Tables,
} from "../generated/protocol";

/** A call that the server refused, or that never reached it (then the code is `unavailable`). */
export class RefusedCall extends Error {
  constructor(
    readonly status: number,
    readonly info: ErrorInfo,
  ) {
    super(info.message);
  }
}

async function call<Answer>(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<Answer> {
  const request: RequestInit = { method, credentials: "same-origin" };
  if (body !== undefined) {
    request.body = JSON.stringify(body);
    request.headers = { "Content-Type": "application/json" };
  }
  let response: Response;
  try {
    response = await fetch(path, request);
  } catch (error) {
    throw new RefusedCall(0, { code: "unavailable", message: String(error) });
  }
  if (!response.ok) throw new RefusedCall(response.status, await problemOf(response));
  return (await response.json()) as Answer;
}

async function problemOf(response: Response): Promise<ErrorInfo> {
  try {
    return ((await response.json()) as Problem).error;
  } catch {
    return { code: response.status === 404 ? "not_found" : "unavailable", message: response.statusText };
  }
}

/** Who the server takes this browser for. */
export const whoAmI = (): Promise<Me> => call("GET", "/api/me");

/** Become a guest of this name, or change one's name. */
export const callMe = (nickname: string): Promise<Me> => call("PUT", "/api/me", { nickname });

/** A private link by which another device becomes the same guest. */
export const deviceLink = (): Promise<DeviceLink> => call("POST", "/api/me/link");

/** Become the guest whose private link this was. */
export const claim = (key: string): Promise<Me> => call("POST", "/api/claims", { key });

/** One's tables, the newest first. */
export const myTables = (): Promise<Tables> => call("GET", "/api/tables");

/** Open a table. */
export const openTable = (table: NewTable): Promise<TableInfo> => call("POST", "/api/tables", table);

/** Sit down at a table that waits: on this seat, or with null on the first that is free. */
export const sitDown = (table: string, seat: number | null): Promise<TableInfo> =>
  call("POST", `/api/tables/${encodeURIComponent(table)}/join`, { seat });

/** As the host of a table that waits: give a seat to a bot, or make it free. */
export const changeSeat = (table: string, seat: number, change: SeatChange): Promise<TableInfo> =>
  call("PUT", `/api/tables/${encodeURIComponent(table)}/seats/${seat}`, change);

/** Stand up from a table that waits, decline a seat that is kept for one, or as its host send somebody away. */
export const standUp = (table: string, seat: number): Promise<TableInfo> =>
  call("DELETE", `/api/tables/${encodeURIComponent(table)}/seats/${seat}`);

/** As the host: close a table that waits. */
export const closeTable = (table: string): Promise<TableInfo> =>
  call("DELETE", `/api/tables/${encodeURIComponent(table)}`);

/** Leave a running game, for good. */
export const leave = (table: string, seat: number): Promise<TableInfo> =>
  call("POST", `/api/tables/${encodeURIComponent(table)}/seats/${seat}/leave`);

/** A page, counted from 1, of the public tables that wait for players. */
export const lobby = (page: number): Promise<Lobby> => call("GET", `/api/lobby?page=${page}`);

/** The table of the rematch; the same one however often it is asked for. */
export const playAgain = (table: string): Promise<TableInfo> =>
  call("POST", `/api/tables/${encodeURIComponent(table)}/again`);

/** Where the record of a finished game can be downloaded. */
export const recordAddress = (table: string): string => `/api/tables/${encodeURIComponent(table)}/record`;

/** A table, without its game. */
export const tableInfo = (table: string): Promise<TableInfo> => call("GET", `/api/tables/${encodeURIComponent(table)}`);

/** A finished game as a seat saw it, or with null all cards open. */
export const replayOf = (table: string, viewer: number | null): Promise<Replay> =>
  call("GET", `/api/tables/${encodeURIComponent(table)}/replay${viewer === null ? "" : `?viewer=${viewer}`}`);

/** The game of a record, in the same way. */
export const replayOfRecord = (record: string, viewer: number | null): Promise<Replay> =>
  call("POST", "/api/replays", { record, viewer });

/** What a bot thinks of a finished game, as far as it has come; the answer may take a second. */
export const analysisOf = (table: string): Promise<Analysis> =>
  call("GET", `/api/tables/${encodeURIComponent(table)}/analysis`);

/** The same of a record. */
export const analysisOfRecord = (record: string): Promise<Analysis> => call("POST", "/api/analyses", { record });

/** One's finished games, the newest first, from a cursor on. */
export const history = (cursor: string | null): Promise<History> =>
  call("GET", cursor === null ? "/api/me/history" : `/api/me/history?cursor=${encodeURIComponent(cursor)}`);

/** How one did. */
export const statistics = (): Promise<Statistics> => call("GET", "/api/me/statistics");

/** Where the socket of a table is, for one who has everything up to `since`, and looks as this one of their seats. */
export function socketAddress(table: string, since: number, seat: number | null = null): string {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  return `${scheme}//${location.host}/api/tables/${encodeURIComponent(table)}/socket?since=${since}${seat === null ? "" : `&seat=${seat}`}`;
}
