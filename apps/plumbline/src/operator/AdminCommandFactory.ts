/** Makes operators' commands. Each has the flags of the admin API, and prints the result of its work. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"

import * as AdminFlags from "./AdminFlags.ts"
import type { PrintableResult, StreamedResult } from "./ResultView.ts"

/**
 * Returns a function that makes commands. The module with their work is loaded when one of them runs, because the help
 * needs only the flags.
 */
export const of =
  <Module>(load: () => Promise<Module>) =>
  <Name extends string, const Config extends Command.Command.Config, E, R, S = never>(
    name: Name,
    config: Config,
    work: (
      module: Module
    ) => (
      flags: AdminFlags.Values<Config>,
      service: AdminFlags.AdminFlags
    ) => Effect.Effect<PrintableResult | StreamedResult<S>, E, R>
  ) =>
    Command.make(
      name,
      { flags: config, service: AdminFlags.flags },
      Effect.fnUntraced(function* ({ flags, service }) {
        const [module, AdminCall] = yield* Effect.promise(() => Promise.all([load(), import("./AdminCall.ts")]))
        yield* AdminCall.print(yield* work(module)(flags, service), service)
      })
    )
