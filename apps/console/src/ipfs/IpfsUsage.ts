/** The IPFS limits of a key's project, and what the project has used of them. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

import type * as PageSession from "../chain/PageSession.ts"

/** A number of used bytes, with its limit. */
export interface UsageMeter {
  readonly name: string
  readonly used: number
  /** The limit; undefined if there is none. */
  readonly most: number | undefined
}

/** The limits and figures of a project. */
export interface IpfsUsage {
  readonly project: string
  readonly meters: ReadonlyArray<UsageMeter>
}

/** The figures cannot be read; `why` is a sentence with the next step. */
export class NoUsageError extends Schema.TaggedError<NoUsageError>()("NoUsageError", { why: Schema.String }) {
  override get message(): string {
    return this.why
  }
}

const Begun = Schema.Struct({
  kind: Schema.Literals(["operator", "project"]),
  project: Schema.NullOr(Schema.String),
  csrfToken: Schema.String
})
const Bound = Schema.optionalKey(Schema.NullOr(Schema.Number))
const Project = Schema.Struct({
  name: Schema.String,
  limits: Schema.Struct({ ipfsStored: Bound, ipfsUploadedPerDay: Bound, ipfsDownloadedPerDay: Bound })
})
const Totals = Schema.Struct({
  totals: Schema.Struct({ uploaded: Schema.NumberFromString, downloaded: Schema.NumberFromString })
})
const Stored = Schema.Struct({ levels: Schema.Array(Schema.Struct({ bytes: Schema.NumberFromString })) })

const PATH = "/admin/v1"

/**
 * Reads the figures. Uses the session of this browser if it is a project's. Without a session, it starts one with the
 * key and the secret, and ends it after the read.
 */
export const read = ({ apiKey, apiKeySecret }: PageSession.ProjectAccess): Effect.Effect<IpfsUsage, NoUsageError> =>
  Effect.gen(function* () {
    const known = yield* Effect.option(ask(Begun, "/session"))
    if (known._tag === "Some" && known.value.kind === "operator") {
      return yield* new NoUsageError({
        why: "You are signed in as the operator. The project's page shows its limits and its usage."
      })
    }
    if (known._tag === "Some") return yield* figures(known.value)
    const basic = btoa(`${Redacted.value(apiKey)}:${Redacted.value(apiKeySecret)}`)
    const begun = yield* ask(Begun, "/session", { method: "POST", headers: { authorization: `Basic ${basic}` } })
    return yield* Effect.ensuring(
      figures(begun),
      Effect.ignore(
        Effect.tryPromise(() =>
          fetch(`${PATH}/session`, { method: "DELETE", headers: { "x-csrf-token": begun.csrfToken } })
        )
      )
    )
  })

const figures = Effect.fnUntraced(function* ({ csrfToken, project }: typeof Begun.Type) {
  const headers = { headers: { "x-csrf-token": csrfToken } }
  const id = encodeURIComponent(project ?? "")
  const { limits, name } = yield* ask(Project, `/projects/${id}`, headers)
  const { totals } = yield* ask(Totals, `/usage/totals?project=${id}&product=ipfs&window=24h`, headers)
  const { levels } = yield* ask(Stored, `/usage/stored?project=${id}&window=30d&everySeconds=86400`, headers)
  const usage: IpfsUsage = {
    project: name,
    meters: [
      { name: "Stored", used: levels.at(-1)?.bytes ?? 0, most: limits.ipfsStored ?? undefined },
      { name: "Uploaded in 24 hours", used: totals.uploaded, most: limits.ipfsUploadedPerDay ?? undefined },
      { name: "Downloaded in 24 hours", used: totals.downloaded, most: limits.ipfsDownloadedPerDay ?? undefined }
    ]
  }
  return usage
})

const ask = <A>(
  schema: Schema.Codec<A, unknown>,
  path: string,
  options: RequestInit = {}
): Effect.Effect<A, NoUsageError> =>
  Effect.tryPromise({
    try: async (signal) => {
      const answer = await fetch(`${PATH}${path}`, { ...options, signal })
      if (!answer.ok) throw new Error(String(answer.status))
      return (await answer.json()) as unknown
    },
    catch: () => NOT_READ
  }).pipe(
    Effect.flatMap((json) => Effect.mapError(Schema.decodeUnknownEffect(schema)(json), () => NOT_READ)),
    Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.fail(NOT_READ) })
  )

const NOT_READ = new NoUsageError({ why: "The service does not show the limits of this key's project." })
