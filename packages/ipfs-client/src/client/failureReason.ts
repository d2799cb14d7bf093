/** Derives the reason of a failure from the messages of the platform or of the server. */
import * as PlatformError from "@plumbline/redaction/PlatformError"
import * as Duration from "effect/Duration"

import {
  FailedError,
  ForbiddenError,
  MalformedError,
  NotAllowedError,
  type Reason,
  TransportError,
  UnauthorizedError,
  UnknownCommandError
} from "./IpfsError.ts"

/** Makes the error of a request that got no answer. */
export const unanswered = (error: unknown): TransportError => broken(false, error)

/** Makes the error of an answer that began and broke off. */
export const cutOff = (error: unknown): TransportError => broken(true, error)

/** Makes the error of a broken connection. The platform's texts contain the URL, so only a code is kept. */
const broken = (begun: boolean, error: unknown): TransportError => {
  const what = begun ? "the answer was cut off" : "connection failed"
  const code = PlatformError.codeOf(error)
  return code === undefined
    ? new TransportError({ detail: what, begun, retryable: true })
    : new TransportError({ detail: `${what} (${code})`, begun, retryable: !PERMANENT.test(code) })
}

/** Codes of failures that would repeat, such as a wrong certificate or a request that the platform refuses. */
const PERMANENT =
  /CERT|SIGNED|TLS_(?!HANDSHAKE_TIMEOUT)|SSL|VERIFY|^HPE_|^ERR_INVALID_URL$|^UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED)$/

/** Makes the error of a redirect. Redirects are not followed, because they would carry the key to another host. */
export const redirected = (status: number): TransportError =>
  new TransportError({
    detail: "redirected: give the final URL",
    begun: false,
    retryable: false,
    ...(status === 0 ? {} : { status })
  })

/** An answer with a failing status. */
export interface Refusal {
  readonly status: number
  readonly contentType: string | undefined
  readonly retryAfter: string | undefined
  /** The beginning of the answer's body. */
  readonly text: string
}

/** Returns the reason of a failing answer. `redact` is applied to the server's texts. */
export const refused = (refusal: Refusal, redact: (text: string) => string): Reason => {
  const { status } = refusal
  if (status === 429 || status === 502 || status === 503 || status === 504) {
    const seconds = /^ *([0-9]{1,7}) *$/.exec(refusal.retryAfter ?? "")?.[1]
    return new TransportError({
      detail: `HTTP ${status}`,
      begun: false,
      status,
      retryable: true,
      ...(seconds === undefined ? {} : { retryAfter: Duration.seconds(Number(seconds)) })
    })
  }
  const { message, ...code } = sentence(refusal)
  const said = { status, message: redact(message), ...code }
  switch (status) {
    case 400:
      return new MalformedError(said)
    case 401:
      return new UnauthorizedError(said)
    case 403:
      return new ForbiddenError(said)
    case 404:
      return new UnknownCommandError(said)
    case 405:
      return new NotAllowedError(said)
    default:
      return new FailedError(said)
  }
}

/**
 * Returns the server's sentence from Kubo's JSON, other JSON, or plain text. HTML is ignored, because it comes from
 * other programs, such as proxies.
 */
const sentence = ({ status, contentType, text }: Refusal): { readonly message: string; readonly code?: number } => {
  const plain = text.trim()
  const said = errorIn(plain)
  if (said !== undefined) {
    return said
  }
  return plain === "" || plain.startsWith("<") || plain.startsWith("{") || /html/i.test(contentType ?? "")
    ? { message: `HTTP ${status}` }
    : { message: plain }
}

const errorIn = (text: string): { readonly message: string; readonly code?: number } | undefined => {
  if (!text.startsWith("{")) {
    return undefined
  }
  try {
    const value = JSON.parse(text)
    const message = [value.Message, value.message, value.error].find((member) => typeof member === "string")
    return message === undefined ? undefined : { message, ...codeOf(value.Code) }
  } catch {
    return undefined
  }
}

/**
 * Returns the error that go-ipfs-cmds sends instead of a value: `{"Message": "...", "Code": 0, "Type": "error"}`.
 */
export const errorValue = (value: unknown): { readonly message: string; readonly code?: number } | undefined => {
  if (typeof value !== "object" || value === null) {
    return undefined
  }
  const { Message, Code, Type }: { readonly Message?: unknown; readonly Code?: unknown; readonly Type?: unknown } =
    value
  return Type === "error" && typeof Message === "string" ? { message: Message, ...codeOf(Code) } : undefined
}

const codeOf = (code: unknown): { readonly code?: number } =>
  typeof code === "number" && Number.isSafeInteger(code) ? { code } : {}
