/**
 * Runs eth_call, eth_estimateGas, eth_createAccessList and eth_simulateV1 here, over proven state.
 */
export * as CallBounds from "./rules/CallBounds.ts"
export * as Hardforks from "./rules/Hardforks.ts"
export * as VerifiedCalls from "./VerifiedCalls.ts"
