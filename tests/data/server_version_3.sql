-- A database of version 3 as the server wrote it: a waiting, a running and a finished game.
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0003');
CREATE TABLE bot_tokens (
	id VARCHAR(32) NOT NULL,
	digest VARCHAR(64) NOT NULL,
	guest_id VARCHAR(32) NOT NULL,
	name VARCHAR(24) NOT NULL,
	created_at DATETIME NOT NULL,
	CONSTRAINT pk_bot_tokens PRIMARY KEY (id),
	CONSTRAINT fk_bot_tokens_guest_id FOREIGN KEY(guest_id) REFERENCES guests (id) ON DELETE CASCADE,
	CONSTRAINT uq_bot_tokens_digest UNIQUE (digest)
);
INSERT INTO "bot_tokens" VALUES('lvH-BltgJVMOjep0','e1b44987f4eb03e02fc9a4bd52807cd89020bbaf7426f095a54854ecc0319dc8','3nBPANf6ZWCTqS7r','robot','2026-11-17 04:54:34.378028');
CREATE TABLE device_links (
	digest VARCHAR(64) NOT NULL,
	guest_id VARCHAR(32) NOT NULL,
	expires_at DATETIME NOT NULL,
	CONSTRAINT pk_device_links PRIMARY KEY (digest),
	CONSTRAINT fk_device_links_guest_id FOREIGN KEY(guest_id) REFERENCES guests (id) ON DELETE CASCADE
);
CREATE TABLE entries (
	table_id VARCHAR(32) NOT NULL,
	seq INTEGER NOT NULL,
	seat SMALLINT NOT NULL,
	text VARCHAR(64) NOT NULL,
	at DATETIME NOT NULL,
	CONSTRAINT pk_entries PRIMARY KEY (table_id, seq),
	CONSTRAINT fk_entries_table_id FOREIGN KEY(table_id) REFERENCES tables (id) ON DELETE CASCADE
);
INSERT INTO "entries" VALUES('ou8EtWeUk1XkFC_Y',1,0,'take wbg','2026-11-17 04:54:34.178633');
INSERT INTO "entries" VALUES('ou8EtWeUk1XkFC_Y',2,1,'reserve 2; h=45','2026-11-17 04:54:34.190535');
INSERT INTO "entries" VALUES('ou8EtWeUk1XkFC_Y',3,0,'take wrk','2026-11-17 04:54:34.206287');
INSERT INTO "entries" VALUES('ou8EtWeUk1XkFC_Y',4,0,'undo','2026-11-17 04:54:34.225620');
INSERT INTO "entries" VALUES('SpXUa-45xGI6Alth',1,1,'leave left','2026-11-17 04:54:34.334350');
CREATE TABLE guests (
	id VARCHAR(32) NOT NULL,
	nickname VARCHAR(24) NOT NULL,
	created_at DATETIME NOT NULL,
	CONSTRAINT pk_guests PRIMARY KEY (id)
);
INSERT INTO "guests" VALUES('xJk4j4F3YV_dS3qO','Ada','2026-11-17 04:54:33.983192');
INSERT INTO "guests" VALUES('3nBPANf6ZWCTqS7r','Bo','2026-11-17 04:54:34.058736');
CREATE TABLE seats (
	table_id VARCHAR(32) NOT NULL,
	seat SMALLINT NOT NULL,
	kind VARCHAR(8) NOT NULL,
	guest_id VARCHAR(32),
	level VARCHAR(16),
	name VARCHAR(24) NOT NULL, place SMALLINT, points SMALLINT, has_won BOOLEAN, finished_at DATETIME, left_at DATETIME, kept_for VARCHAR(32),
	CONSTRAINT pk_seats PRIMARY KEY (table_id, seat),
	CONSTRAINT fk_seats_table_id FOREIGN KEY(table_id) REFERENCES tables (id) ON DELETE CASCADE,
	CONSTRAINT fk_seats_guest_id FOREIGN KEY(guest_id) REFERENCES guests (id),
	CONSTRAINT ck_seats_kind CHECK ((kind = 'person' AND guest_id IS NOT NULL AND level IS NULL) OR (kind = 'bot' AND guest_id IS NULL AND level IS NOT NULL) OR (kind = 'open' AND guest_id IS NULL AND level IS NULL))
);
INSERT INTO "seats" VALUES('ou8EtWeUk1XkFC_Y',0,'person','xJk4j4F3YV_dS3qO',NULL,'Ada',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "seats" VALUES('ou8EtWeUk1XkFC_Y',1,'person','3nBPANf6ZWCTqS7r',NULL,'Bo',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "seats" VALUES('YtpUaUWEE3XSU428',0,'person','xJk4j4F3YV_dS3qO',NULL,'Ada',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "seats" VALUES('YtpUaUWEE3XSU428',1,'open',NULL,NULL,'',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "seats" VALUES('YtpUaUWEE3XSU428',2,'bot',NULL,'novice','Novice',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "seats" VALUES('SpXUa-45xGI6Alth',0,'person','xJk4j4F3YV_dS3qO',NULL,'Ada',1,0,1,'2026-11-17 04:54:34.334350',NULL,NULL);
INSERT INTO "seats" VALUES('SpXUa-45xGI6Alth',1,'person','3nBPANf6ZWCTqS7r',NULL,'Bo',2,0,0,'2026-11-17 04:54:34.334350','2026-11-17 04:54:34.334350',NULL);
CREATE TABLE sessions (
	digest VARCHAR(64) NOT NULL,
	guest_id VARCHAR(32) NOT NULL,
	created_at DATETIME NOT NULL,
	CONSTRAINT pk_sessions PRIMARY KEY (digest),
	CONSTRAINT fk_sessions_guest_id FOREIGN KEY(guest_id) REFERENCES guests (id) ON DELETE CASCADE
);
INSERT INTO "sessions" VALUES('7adff110e8c2fa72c8f02b5a14f20038517900dede72eea0882220a0c0cff0ca','xJk4j4F3YV_dS3qO','2026-11-17 04:54:33.993941');
INSERT INTO "sessions" VALUES('2147fb8ab3076e98dd3d09a17b068a473365564f741e2c43a49e85d343a5ba4c','3nBPANf6ZWCTqS7r','2026-11-17 04:54:34.061401');
CREATE TABLE tables (
	id VARCHAR(32) NOT NULL,
	host_id VARCHAR(32) NOT NULL,
	variant VARCHAR(16) NOT NULL,
	free_take BOOLEAN NOT NULL,
	payment VARCHAR(16) NOT NULL,
	seed BLOB NOT NULL,
	status VARCHAR(16) NOT NULL,
	seat_to_move SMALLINT NOT NULL,
	created_at DATETIME NOT NULL,
	next_id VARCHAR(32), visibility VARCHAR(8) DEFAULT 'private' NOT NULL, clock VARCHAR(32), started_at DATETIME, seen_at DATETIME,
	CONSTRAINT pk_tables PRIMARY KEY (id),
	CONSTRAINT fk_tables_host_id FOREIGN KEY(host_id) REFERENCES guests (id),
	CONSTRAINT fk_tables_next_id FOREIGN KEY(next_id) REFERENCES tables (id),
	CONSTRAINT uq_tables_next_id UNIQUE (next_id),
	CONSTRAINT ck_tables_status CHECK (status IN ('waiting', 'playing', 'over', 'closed'))
);
INSERT INTO "tables" VALUES('ou8EtWeUk1XkFC_Y','xJk4j4F3YV_dS3qO','splendor',0,'choice',X'73C6D0EE8818122B3B935E80EC4091E4E638CB06F81A361FDF08BAA34DB62AA8','playing',0,'2026-11-17 04:54:34.089678',NULL,'private',NULL,'2026-11-17 04:54:34.125997',NULL);
INSERT INTO "tables" VALUES('YtpUaUWEE3XSU428','xJk4j4F3YV_dS3qO','marvel',0,'choice',X'D35ABEE36AA0BB01F8C3DDD430160107BB73E0297D500CD24D0F2B96C0AFFF84','waiting',0,'2026-11-17 04:54:34.249761',NULL,'public',NULL,NULL,NULL);
INSERT INTO "tables" VALUES('SpXUa-45xGI6Alth','xJk4j4F3YV_dS3qO','splendor',0,'choice',X'99224760ECD8C53FB5CFD03B9EBD82C55B3B09D8003F6E25F8019ECC297EA75D','over',0,'2026-11-17 04:54:34.276779',NULL,'private','live 30 300','2026-11-17 04:54:34.305783',NULL);
CREATE INDEX ix_sessions_guest_id ON sessions (guest_id);
CREATE INDEX ix_device_links_guest_id ON device_links (guest_id);
CREATE INDEX ix_tables_host_id ON tables (host_id);
CREATE INDEX ix_tables_status ON tables (status);
CREATE INDEX ix_seats_guest_id_finished_at ON seats (guest_id, finished_at);
CREATE INDEX ix_bot_tokens_guest_id ON bot_tokens (guest_id);
COMMIT;
