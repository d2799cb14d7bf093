/**
 * The methods of the pool, including those that it always refuses.
 *
 * Types are written out, because an inferred type would name private modules of another package, which users cannot
 * import.
 */
import * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import * as Starknet from "@plumbline/second-chain-methods/methods/Starknet"
import * as Block from "@plumbline/second-chain-methods/model/Block"
import * as Schema from "effect/Schema"

/** Methods of the specification that are always refused. */
type RefusedName =
  | "starknet_addDeclareTransaction"
  | "starknet_estimateFee"
  | "starknet_getClass"
  | "starknet_getClassAt"
  | "starknet_simulateTransactions"

type Refused<Name extends string> = Name extends string
  ? Method.Method<Name, ReadonlyArray<Method.Param<string, typeof Schema.Unknown, true>>, typeof Schema.Unknown>
  : never

const refused = <const Name extends RefusedName>(name: Name) =>
  Method.make(name, {
    params: ["first", "second", "third"].map((name) => Method.param(name, Schema.Unknown, { optional: true })),
    result: Schema.Unknown,
    doc: "Refused: the pool has no code.",
    idempotent: false
  })

const seal: Method.Method<"pool_seal", readonly [], typeof Block.HashAndNumber> = /* @__PURE__ */ Method.make(
  "pool_seal",
  {
    params: [],
    result: Block.HashAndNumber,
    doc: "Puts the pending transactions into a block, and gives its hash and number. The pool's own method, of no specification.",
    idempotent: false
  }
)

/** See the value of the same name. */
export type PoolGroup = MethodGroup.MethodGroup<
  MethodGroup.ByName<MethodGroup.MethodOf<typeof Starknet.group> | Refused<RefusedName> | typeof seal>
>

export const group: PoolGroup = /* @__PURE__ */ MethodGroup.merge(
  Starknet.group,
  MethodGroup.make(
    refused("starknet_addDeclareTransaction"),
    refused("starknet_estimateFee"),
    refused("starknet_getClass"),
    refused("starknet_getClassAt"),
    refused("starknet_simulateTransactions"),
    seal
  )
)
