/**
 * Methods that a network's table does not have, such as `trace_block`. They are passed on to the network's nodes with
 * any parameters.
 */
import * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import * as Schema from "effect/Schema"

import * as Setting from "../schema/Setting.ts"

/** The name of a method. */
export const methodName = Setting.pattern(
  /^[a-zA-Z][a-zA-Z0-9]{0,31}_[a-zA-Z0-9_]{1,64}$/u,
  "must be a method, such as trace_block",
  { description: "A method, such as trace_block." }
)

/** The settings of a network that add methods. */
export const fields = {
  methods: Setting.optional(
    Setting.array(methodName, {
      description:
        "Further methods, in addition to those of the kind, passed on to the nodes with any parameters. A call without an answer is not sent again."
    })
  ),
  readMethods: Setting.optional(
    Setting.array(methodName, {
      description: "Further methods that only read. A call without an answer is sent to another node."
    })
  )
}

/** An extra method: its name, and whether it may be called again. */
export interface ExtraMethod {
  readonly name: string
  /**
   * True if calling the method twice has the same effect as calling it once. Only such a call is sent to another node
   * after a fault (default: false).
   */
  readonly idempotent?: boolean | undefined
}

/** Maximum number of parameters of an extra method, and of values inside one parameter. */
const MAX_PARAMS = 8
const MAX_VALUES = 8192

/**
 * Adds methods to a table. Throws if the table already has a method of the same name.
 *
 * Parameters are positional: at most 8, each with at most 8192 values. Nothing else about them is checked, and results
 * are passed on untouched. A project with a list of addresses cannot call extra methods, because the gateway cannot
 * tell which addresses their parameters name.
 *
 * ```ts import.meta.vitest
 * import { CallCheck, ExtraMethods } from "@plumbline/gateway"
 * import { MethodGroup } from "@plumbline/jsonrpc-core"
 *
 * const methods = ExtraMethods.add(MethodGroup.make(), [{ name: "trace_block", idempotent: true }])
 * const checked = CallCheck.check(methods, { method: "trace_block", params: ["0x10"] })
 * checked._tag === "Success" && checked.success // => ["0x10"]
 * ```
 */
export const add = (methods: MethodGroup.Any, extra: ReadonlyArray<ExtraMethod>): MethodGroup.Any =>
  extra.length === 0
    ? methods
    : MethodGroup.merge(
        methods,
        MethodGroup.make(
          ...extra.map(({ idempotent = false, name }) =>
            Method.make(name, { params, result: Schema.Unknown, idempotent })
          )
        )
      )

const params = Array.from({ length: MAX_PARAMS }, (_, index) =>
  Method.param(`param${index + 1}`, Schema.Unknown, { optional: true, values: MAX_VALUES })
)
