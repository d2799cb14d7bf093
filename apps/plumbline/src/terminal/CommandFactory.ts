/** Makes commands whose work is loaded when they run, because the help needs only the flags. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"

/** Makes a command. `load` imports the function that does its work. */
export const make = <Name extends string, const Config extends Command.Command.Config, E, R>(
  name: Name,
  config: Config,
  load: () => Promise<(flags: Command.Command.Config.Infer<Config>) => Effect.Effect<void, E, R>>
) => Command.make(name, config, (flags) => Effect.flatMap(Effect.promise(load), (work) => work(flags)))
