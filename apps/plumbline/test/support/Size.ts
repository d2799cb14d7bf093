/** The size of heavy tests: whole in CI, and smaller by hand (`vitest.config.ts`). */

/** True where heavy tests have their full size. */
export const isWhole: boolean = Number(process.env["PLUMBLINE_SHARE"] ?? 1) >= 1
