/** Returns the size of a page of logs as a whole number of blocks, at least 1. */
export const sizeOf = (pageBlocks: number): bigint => BigInt(Math.floor(Math.min(Math.max(pageBlocks, 1), MOST)))

/** More blocks than a chain has. */
const MOST = 2 ** 48
