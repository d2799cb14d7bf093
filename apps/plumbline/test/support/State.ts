/** The state of a service in memory, and a project in it. */
import { Accounts, ServiceState } from "@plumbline/gateway"
import { Effect } from "effect"

/** Usage is not gathered before it is written, so that no test has to wait for a timer. */
export const memory = ServiceState.layerSqlite({ file: ":memory:", metering: { gather: 0 } })

/** Makes a project without limits, in a new account. */
export const project = Effect.fnUntraced(function* (options: { readonly card?: boolean } = {}) {
  const accounts = yield* Accounts.Accounts
  const { id } = yield* accounts.createAccount({ name: "test", card: options.card })
  return (yield* accounts.createProject({ account: id, name: "test", limits: {} })).issued
})
