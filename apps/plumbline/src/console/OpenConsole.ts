/** `plumbline console`: finds the console of the running service, and opens it in the reader's browser. */
import { spawn } from "node:child_process"

import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

import * as DataFolder from "../home/DataFolder.ts"
import * as ServiceFile from "../home/ServiceFile.ts"
import * as TerminalText from "../terminal/TerminalText.ts"

/** Returns the address of the console of a service. */
export const urlOf = (url: string): string => `${url}/console/`

/** Prints the address, and opens it unless `print` or `json` is set. Fails with `NoServiceError`. */
export const open = Effect.fnUntraced(function* (options: {
  readonly data: Option.Option<string>
  readonly print: boolean
  readonly json: boolean
}) {
  const service = yield* ServiceFile.running(yield* DataFolder.resolve(options.data), null)
  const url = urlOf(service.adminUrl ?? service.url)
  if (options.json) return yield* Console.log(TerminalText.json({ consoleUrl: url }))
  yield* Console.log(url)
  if (!options.print && !(yield* browse(url))) {
    yield* Console.error("No program that opens a browser was found. Open the address above.")
  }
})

/** Starts the program of this platform that opens an address. Returns false if the platform has none. */
const browse = (url: string): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => {
    const [command, ...args] = OPENERS[process.platform] ?? ["xdg-open"]
    const child = spawn(command!, [...args, url], { stdio: "ignore", detached: true })
    child.once("error", () => resume(Effect.succeed(false)))
    child.once("spawn", () => {
      child.unref()
      resume(Effect.succeed(true))
    })
  })

const OPENERS: Partial<Record<NodeJS.Platform, ReadonlyArray<string>>> = {
  darwin: ["open"],
  win32: ["explorer.exe"]
}
