/** The parts that operators' commands share: they find the service, read whole lists, remove things, and print results. */
import * as AdminClient from "@plumbline/gateway-admin/api/AdminClient"
import { NoAnswer } from "@plumbline/gateway-admin/api/AdminError"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

import * as DataFolder from "../home/DataFolder.ts"
import * as ServiceFile from "../home/ServiceFile.ts"
import * as NodeEndpoint from "../node/NodeEndpoint.ts"
import * as RetryPolicy from "../node/RetryPolicy.ts"
import * as ExitCode from "../terminal/ExitCode.ts"
import * as Style from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import { UsageError } from "../terminal/UsageError.ts"
import type { AdminFlags } from "./AdminFlags.ts"
import * as ResultView from "./ResultView.ts"

/** Finds the service that the flags name, and returns a client of its admin API. */
export const connect = Effect.fnUntraced(function* (flags: AdminFlags) {
  const endpoint = yield* find(flags)
  const policy = yield* Effect.fromResult(RetryPolicy.of(flags))
  const tell = yield* RetryPolicy.waitProgress(flags.json)
  return yield* Effect.provide(
    AdminClient.make({
      ...endpoint,
      // without `--timeout` a change may take as long as the service allows: after giving up early, the operator would
      // not know if it was made
      ...(Option.isSome(flags.timeout) ? { timeout: policy.timeout } : {}),
      readTimeout: policy.timeout,
      retries: policy.retries,
      onWait: (wait) => tell(RetryPolicy.notice(wait))
    }),
    client
  )
})

/**
 * Prints a result. Ends with `PrintedError` if its exit code is not 0. Pieces of a streamed result are read only as fast
 * as the reader of standard output takes them.
 */
export const print = Effect.fnUntraced(function* <E>(
  result: ResultView.PrintableResult | ResultView.StreamedResult<E>,
  flags: { readonly json: boolean }
) {
  if ("jsonPieces" in result) {
    const { jsonPieces, notice, viewPieces } = result
    if (notice !== undefined && !flags.json) yield* Console.error(notice)
    const pieces = flags.json
      ? Stream.concat(Stream.map(jsonPieces, TerminalText.printable), Stream.succeed("\n"))
      : viewPieces(yield* Style.current)
    const stdio = yield* Stdio.Stdio
    yield* Stream.run(Stream.encodeText(pieces), stdio.stdout({ endOnDone: false }))
    return
  }
  const { exitCode = ExitCode.DONE, json, view } = result
  yield* Console.log(flags.json ? TerminalText.printable(json) : view(yield* Style.current).join("\n"))
  if (exitCode !== ExitCode.DONE) return yield* new ExitCode.PrintedError({ exitCode })
})

/** Reads the list `name` to its end, page after page. */
export const all = Effect.fnUntraced(function* <Name extends string, A, E>(
  name: Name,
  page: (query: {
    readonly after?: string
    readonly limit: number
  }) => Effect.Effect<{ readonly [N in Name]: ReadonlyArray<A> } & { readonly next: string | null }, E>
) {
  const found: Array<A> = []
  let after: string | undefined
  for (;;) {
    const { [name]: items, next } = yield* page(after === undefined ? { limit: PAGE } : { after, limit: PAGE })
    found.push(...items)
    if (next === null) return found
    // the loop would never end if the service repeats a page
    if (next === after) return yield* new NoAnswer({ problem: "NotUnderstood", status: 200 })
    after = next
  }
})

/** Makes the work of a command that removes the thing with the id `id`. */
export const remover = <E, R>(
  remove: (
    admin: AdminClient.AdminClient
  ) => (request: { readonly params: { readonly id: string } }) => Effect.Effect<void, E, R>,
  sentence: (id: string) => string,
  member = "removed"
) =>
  Effect.fnUntraced(function* ({ id }: { readonly id: string }, service: AdminFlags) {
    yield* remove(yield* connect(service))({ params: { id } })
    return ResultView.one({ [member]: id }, sentence(id))
  })

/** The error of a command that changes something, without a flag that says what. */
export const noChange = new UsageError({ problem: "no change was given: pass at least one flag" })

/** Maximum number of entries that the service returns at once. */
const PAGE = 1000

/** The HTTP client. It does not follow redirects, so that the token reaches only the service that the flags name. */
const client = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
)

const find = Effect.fnUntraced(function* (flags: AdminFlags) {
  const inEnvironment = yield* Effect.orDie(Config.option(Config.Redacted("PLUMBLINE_ADMIN_TOKEN")))
  if (Option.isSome(flags.url)) {
    const url = baseOf(Redacted.value(flags.url.value))
    if (url === undefined) return yield* noUrl
    return { url, token: yield* tokenOf(Option.orElse(flags.adminToken, () => inEnvironment)) }
  }
  const {
    adminToken,
    url: service,
    adminUrl: url = service
  } = yield* ServiceFile.running(yield* DataFolder.resolve(flags.data))
  if (url.startsWith("unix:")) {
    const problem = `its admin API is at the socket ${url.slice(5)}: give the URL of the proxy in front of it with --url`
    return yield* new UsageError({ problem })
  }
  // the token in the environment may be for another service, so the token of the data folder has priority
  const token = flags.adminToken.pipe(
    Option.orElse(() => Option.map(Option.fromUndefinedOr(adminToken), (kept) => Redacted.make(kept))),
    Option.orElse(() => inEnvironment)
  )
  return { url, token: yield* tokenOf(token) }
})

/** Refuses a token that no header can contain: sending it would fail as if the service were down. */
const tokenOf = (token: Option.Option<Redacted.Redacted>): Effect.Effect<Redacted.Redacted, UsageError> =>
  Option.isNone(token)
    ? Effect.fail(noToken)
    : /^[!-~]+$/u.test(Redacted.value(token.value))
      ? Effect.succeed(token.value)
      : Effect.fail(badToken)

const noUrl = new UsageError({ problem: "--url must be an http:// or https:// URL of a service" })
const noToken = new UsageError({
  problem: "the admin token is missing: pass --admin-token, or set $PLUMBLINE_ADMIN_TOKEN"
})
const badToken = new UsageError({ problem: "the admin token is empty, or has blanks or characters that no token has" })

/**
 * Returns the base URL of the service from a URL that the user pasted. It removes the key that ends a JSON-RPC URL, and
 * the name of a network before the key.
 */
const baseOf = (text: string): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined
  // `fetch` takes no credentials in a URL
  if (url.username !== "" || url.password !== "") return undefined
  if (NodeEndpoint.isLocal(url.hostname) && NodeEndpoint.networkInPath(url) !== undefined) return url.origin
  return `${url.origin}${url.pathname.replace(/\/(?:v3\/[^/]+\/?)?$/u, "")}`
}
