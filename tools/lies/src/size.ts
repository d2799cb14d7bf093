/** The size of heavy tests: whole in CI, and by hand the share that `vitest.config.ts` sets. */
const share = Number(process.env["PLUMBLINE_SHARE"] ?? 1)

/** True where heavy tests have their full size. */
export const isWhole: boolean = share >= 1

/** The size of a heavy test whose full size is `full`, but at least 1. */
export const sized = (full: number): number => Math.max(1, Math.round(full * share))
