"""The rules of both games, as plain functions over one NumPy record.

The same source runs interpreted, compiled by numba for the CPU, and inside CUDA kernels.
"""
