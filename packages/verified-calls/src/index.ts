/**
 * Runs eth_call here, over state that is proven under one verified header.
 */
export * as CallBounds from "./rules/CallBounds.ts"
export * as Hardforks from "./rules/Hardforks.ts"
export * as VerifiedCalls from "./VerifiedCalls.ts"
