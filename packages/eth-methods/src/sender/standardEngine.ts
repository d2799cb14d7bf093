/** The default engine: WebAssembly where the platform runs it, else plain JavaScript. */
import { bytesToNumberBE } from "@noble/curves/utils.js"

import * as CurveArithmetic from "./curveArithmetic.ts"
import * as CurveModule from "./curveModule.ts"
import { works } from "./engineTest.ts"
import { noble, type RecoveryEngine } from "./recoveryEngine.ts"

/** Returns the engine by a module, or `noble` if there is no module or it finds a wrong key. */
export const best = (module: CurveModule.CurveModule | undefined): RecoveryEngine => {
  if (module === undefined) return noble
  try {
    const recover = CurveArithmetic.make(module)
    // the module has to find the keys of the test alone
    return works(byModule(recover, () => undefined)) ? byModule(recover, noble.recover) : noble
  } catch {
    return noble
  }
}

const byModule = (recover: CurveArithmetic.Recover, otherwise: RecoveryEngine["recover"]): RecoveryEngine => ({
  name: "WebAssembly",
  recover: (digest, signature, parity) => {
    const r = bytesToNumberBE(signature.subarray(0, 32))
    const s = bytesToNumberBE(signature.subarray(32))
    const key = recover(bytesToNumberBE(digest), r, s, parity)
    return key === "unknown" ? otherwise(digest, signature, parity) : key
  }
})

let chosen: RecoveryEngine | undefined

/** Returns the engine in use, which the first call starts. */
const get = (): RecoveryEngine => (chosen ??= best(CurveModule.start()))

/**
 * The default engine. The first recovery starts its module of 4 kB; if the platform has no WebAssembly or refuses it,
 * `noble` takes its place. `name` tells which of the two it is.
 */
export const standard: RecoveryEngine = {
  get name() {
    return get().name
  },
  recover: (digest, signature, parity) => get().recover(digest, signature, parity)
}
