/** The slots of EIP-1967, in which proxies store the address of their implementation, beacon or admin. */
import type { Layout } from "../layout/Layout.ts"
import type { Slot } from "../slot/Slot.ts"

/** Slot of the implementation's address: the Keccak-256 of `eip1967.proxy.implementation`, minus one. */
export const IMPLEMENTATION: Slot = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbcn

/** Slot of the beacon's address: the Keccak-256 of `eip1967.proxy.beacon`, minus one. */
export const BEACON: Slot = 0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50n

/** Slot of the admin's address: the Keccak-256 of `eip1967.proxy.admin`, minus one. */
export const ADMIN: Slot = 0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103n

const variable = (name: string, slot: Slot) => ({ name, declaredIn: undefined, slot, offset: 0, type: "address" })

/**
 * The three slots as variables `implementation`, `beacon` and `admin`, which are read and compared like any others.
 *
 * ```ts import.meta.vitest
 * import { Erc1967, Location } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const admin = Result.getOrThrow(Location.locate(Erc1967.layout, "admin"))
 * [admin.slot, admin.bytes] // => [Erc1967.ADMIN, 20n]
 * ```
 */
export const layout: Layout = {
  dialect: "solidity",
  area: "storage",
  contract: undefined,
  variables: [variable("implementation", IMPLEMENTATION), variable("beacon", BEACON), variable("admin", ADMIN)],
  namespaces: [],
  elsewhere: [],
  types: new Map([["address", { _tag: "Address", label: "address", size: 20 }]])
}
