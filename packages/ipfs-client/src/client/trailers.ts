/** Trailers, where the HTTP clients of Effect for Node keep them. */
import type * as HttpClientResponse from "effect/http/HttpClientResponse"

/**
 * The trailers of an answer that was read to its end. The answers of undici and of `node:http`, on which those clients
 * rest, have a member `trailers`; a Web `Response` has none.
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
