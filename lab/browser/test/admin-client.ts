/** The client of the gateway's admin API in a page: asks for projects, and reports its requests. */
import * as AdminClient from "@plumbline/gateway-admin/api/AdminClient"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Redacted from "effect/Redacted"

/** In a browser, the bytes of a response are an ArrayBuffer of the page's own realm. */
class Answer extends Response {
  override async arrayBuffer(): Promise<ArrayBuffer> {
    return new Uint8Array(new Uint8Array(await super.arrayBuffer())).buffer
  }
}

const http = HttpClient.make((request) => {
  const body = JSON.stringify({ projects: [], next: `${request.headers["authorization"]} ${request.url}` })
  const headers = { "content-type": "application/json" }
  return Effect.succeed(HttpClientResponse.fromWeb(request, new Answer(body, { headers })))
})

export const run = (): Promise<string | null> =>
  AdminClient.make({ url: "http://here", token: Redacted.make("t") }).pipe(
    Effect.flatMap((admin) => admin.projects.list({ query: {} })),
    Effect.map(({ next }) => next),
    Effect.provideService(HttpClient.HttpClient, http),
    Effect.runPromise
  )
