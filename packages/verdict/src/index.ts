/** Verdicts as data: the proven value, its anchor, the evidence, and the parts that are only claimed. */
export * as Anchor from "./Anchor.ts"
export * as Claim from "./Claim.ts"
export * as Evidence from "./Evidence.ts"
export * as Kind from "./Kind.ts"
export * as Reason from "./Reason.ts"
export * as Verdict from "./Verdict.ts"
export { RefutedError, refute } from "./RefutedError.ts"
export { UnprovenError } from "./UnprovenError.ts"
