/** The methods whose calls an engine runs over proven state, in a network that has one. */
const names: ReadonlySet<string> = new Set(["eth_call", "eth_estimateGas", "eth_createAccessList", "eth_simulateV1"])

/** True if a method runs calls. Its answer then depends on the rules of the chain, and costs much work. */
export const isRun = (method: string): boolean => names.has(method)
