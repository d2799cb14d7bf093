/** Refusals of IPFS commands. Clients know the texts of Kubo. */
import * as HttpRefusal from "@plumbline/gateway/http/HttpRefusal"

/**
 * 403: the project's list of networks does not name IPFS. The body is plain text, because clients of Kubo do not read
 * JSON-RPC errors.
 */
export const notListed: HttpRefusal.HttpRefusal = HttpRefusal.make(
  403,
  "rejected due to project ID settings: the project's allowlist of networks lacks ipfs. Add ipfs to the list"
)

/**
 * 403: the project's list of methods does not name this IPFS command.
 */
export const methodNotListed = (command: string): HttpRefusal.HttpRefusal =>
  HttpRefusal.make(
    403,
    `rejected due to project ID settings: the project's allowlist of methods lacks ${command}. Add ${command} to the list`
  )

/**
 * 403: pages of this origin are not allowed to send IPFS commands. The text is Kubo's.
 */
export const foreignOrigin: HttpRefusal.HttpRefusal = HttpRefusal.make(403, "403 - Forbidden")

/**
 * 403: the operator does not serve this command.
 */
export const disallowed: HttpRefusal.HttpRefusal = HttpRefusal.make(403, "command not allowed")

/**
 * 404: the path names no IPFS command. The text is Kubo's.
 */
export const unknownCommand: HttpRefusal.HttpRefusal = HttpRefusal.make(404, "404 page not found")

/**
 * 405: the IPFS command was not sent with POST. The text is Kubo's.
 */
export const postOnly: HttpRefusal.HttpRefusal = HttpRefusal.make(405, "405 - Method Not Allowed", [
  "allow",
  "OPTIONS, POST"
])
