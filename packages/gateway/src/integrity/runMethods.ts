/** The methods whose calls an engine runs over proven state, in a network that has one. */
import * as CallEngine from "@plumbline/eth-methods/call/CallEngine"

const names: ReadonlySet<string> = new Set(Object.values(CallEngine.methods))

/** True if a method runs calls. Its answer then depends on the rules of the chain, and costs much work. */
export const isRun = (method: string): boolean => names.has(method)
