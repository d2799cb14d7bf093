/** The size of heavy tests: full in CI, and smaller in a manual run (`vitest.config.ts`). */

/** True if heavy tests have their full size. */
export const isWhole: boolean = Number(process.env["PLUMBLINE_SHARE"] ?? 1) >= 1
