/** Finds trailers where Effect's HTTP clients for Node keep them. */
import type * as HttpClientResponse from "effect/http/HttpClientResponse"

/**
 * Returns the trailers of an answer that was read to its end. Effect's HTTP clients for Node use undici and
 * `node:http`. The answers of both have a member `trailers`; a Web `Response` has none.
 */
export const trailersOf = (
  response: HttpClientResponse.HttpClientResponse
): Readonly<Record<string, unknown>> | undefined => {
  const trailers = member(member(member(response, "original") ?? response, "source"), "trailers")
  return isRecord(trailers) ? trailers : undefined
}

const member = (value: unknown, name: string): unknown => (isRecord(value) && name in value ? value[name] : undefined)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null
