/** The size of heavy tests: full in CI, otherwise the share that `vitest.config.ts` sets. */
const share = Number(process.env["PLUMBLINE_SHARE"] ?? 1)

/** True if heavy tests have their full size. */
export const isWhole: boolean = share >= 1

/** Returns the size of a heavy test whose full size is `full`. The result is at least 1. */
export const sized = (full: number): number => Math.max(1, Math.round(full * share))
