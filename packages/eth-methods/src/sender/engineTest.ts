/** The test that an engine must pass before it is used. It finds a broken engine, not a malicious one. */
import * as Hex from "@plumbline/codec/hex/Hex"

import type { RecoveryEngine } from "./recoveryEngine.ts"

/**
 * Returns true if an engine recovers the key of a known signature, another key for the other parity, and no key from a
 * signature that has none.
 */
export const works = (engine: RecoveryEngine): boolean => {
  try {
    const key = engine.recover(DIGEST, SIGNATURE, 0)
    const other = engine.recover(DIGEST, SIGNATURE, 1)
    return (
      key !== undefined &&
      Hex.fromBytes(key) === KEY &&
      other !== undefined &&
      Hex.fromBytes(other) !== KEY &&
      engine.recover(DIGEST, NO_POINT, 0) === undefined
    )
  } catch {
    return false
  }
}

/** The example transaction of EIP-155, signed with the private key of 32 bytes 0x46. */
const DIGEST = /* @__PURE__ */ Hex.toBytesUnsafe("0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53")
const SIGNATURE = /* @__PURE__ */ Hex.toBytesUnsafe(
  "0x28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa63627667cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83"
)
const KEY =
  "0x4bc2a31265153f07e70e0bab08724e6b85e217f8cd628ceb62974247bb493382ce28cab79ad7119ee1ad3ebcdb98a16805211530ecc6cfefa1b88e6dff99232a"

/** No point of the curve has the `x` 5. */
const NO_POINT = /* @__PURE__ */ Hex.toBytesUnsafe(`0x${"05".padStart(64, "0")}${"01".padStart(64, "0")}`)
