/**
 * A real OpenID provider (`oidc-provider`) on a free port, a browser that signs in there without a screen, and forged
 * answers of its token endpoint.
 */
import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

import { Effect, type Scope } from "effect"
import { Provider } from "oidc-provider"

export const CLIENT = "plumbline"
export const SECRET = "the secret of the client at the provider"
export const REDIRECT = "http://127.0.0.1:1/admin/sign-in/callback"

type Json = Record<string, unknown>

/** Returns another ID token in place of the true one. `sign` signs claims with the provider's key. */
export type Forge = (
  header: Json,
  claims: Json,
  sign: (header: Json, claims: Json, key?: KeyObject) => string
) => string

export interface IdentityProvider {
  readonly issuer: string
  /** The groups of people, by login. */
  readonly groups: Map<string, ReadonlyArray<string>>
  /** Forges the ID tokens from now on. */
  forge: Forge | undefined
  /** Number of requests by path. */
  readonly requests: Map<string, number>
  /** Replaces the signing key, as a rotation does. */
  readonly rotate: () => void
}

const newKey = () => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey

let keys = 0

/** Starts the provider. It ends with the scope. */
export const start: Effect.Effect<IdentityProvider, never, Scope.Scope> = Effect.gen(function* () {
  const server = createServer()
  yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
  yield* Effect.addFinalizer(() => Effect.sync(() => (server.close(), server.closeAllConnections())))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const groups = new Map<string, ReadonlyArray<string>>()
  const requests = new Map<string, number>()
  let key: KeyObject
  let answer: (request: IncomingMessage, response: ServerResponse) => void
  const rotate = (): void => {
    key = newKey()
    const kid = `key-${++keys}`
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT,
          client_secret: SECRET,
          redirect_uris: [REDIRECT],
          grant_types: ["authorization_code"],
          response_types: ["code"]
        }
      ],
      pkce: { required: () => true },
      claims: { openid: ["sub", "groups"], email: ["email", "email_verified"] },
      conformIdTokenClaims: false,
      cookies: { keys: ["a key for the provider's own cookies"] },
      jwks: { keys: [{ ...(key.export({ format: "jwk" }) as object), kid, use: "sig", alg: "RS256" }] },
      features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: () =>
          Promise.resolve({
            sub: id,
            email: `${id}@example.com`,
            email_verified: id !== "unverified",
            groups: groups.get(id)
          })
      })
    })
    answer = provider.callback()
  }
  rotate()
  const sign = (header: Json, claims: Json, by = key): string => {
    const part = (value: Json) => Buffer.from(JSON.stringify(value)).toString("base64url")
    const text = `${part(header)}.${part(claims)}`
    return `${text}.${createSign("RSA-SHA256").update(text).sign(by, "base64url")}`
  }
  const found: IdentityProvider = { issuer, groups, requests, rotate, forge: undefined }
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url!.replace(/[?].*$/u, "")
    requests.set(path, (requests.get(path) ?? 0) + 1)
    const { forge } = found
    if (path === "/token" && forge !== undefined) {
      const end = response.end.bind(response)
      response.end = ((body: string | Buffer) => {
        const answered = JSON.parse(body.toString()) as Json
        if (typeof answered["id_token"] === "string") {
          const [header, claims] = answered["id_token"].split(".").map((part) => Buffer.from(part, "base64url")) as [
            Buffer,
            Buffer
          ]
          answered["id_token"] = forge(JSON.parse(header.toString()), JSON.parse(claims.toString()), sign)
        }
        const changed = JSON.stringify(answered)
        response.setHeader("content-length", Buffer.byteLength(changed))
        return end(changed)
      }) as typeof response.end
    }
    answer(request, response)
  })
  return found
})

/** A browser without a screen: it keeps cookies by origin, and follows redirects one by one. */
export class Browser {
  readonly #jars = new Map<string, Map<string, string>>()

  cookies(origin: string): ReadonlyMap<string, string> {
    return this.#jars.get(origin) ?? new Map()
  }

  /** Sets a cookie; undefined removes it. */
  set(origin: string, name: string, value: string | undefined): void {
    const jar = this.#jars.get(origin) ?? new Map<string, string>()
    this.#jars.set(origin, jar)
    if (value === undefined || value === "") jar.delete(name)
    else jar.set(name, value)
  }

  async open(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url)
    const cookie = [...this.cookies(origin)].map(([name, value]) => `${name}=${value}`).join("; ")
    const headers = { ...(init.headers as Record<string, string>), ...(cookie === "" ? {} : { cookie }) }
    const answer = await fetch(url, { ...init, headers, redirect: "manual" })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ""] = line.split(";")
      const equals = pair.indexOf("=")
      const isGone = /max-age=0|expires=thu, 01 jan 1970/iu.test(line)
      this.set(origin, pair.slice(0, equals), isGone ? undefined : pair.slice(equals + 1))
    }
    return answer
  }

  /**
   * Signs in at the provider, from the URL to which the service sent the browser. Returns the URL to which the provider
   * sends the browser back, which is not opened.
   */
  async signIn(authorization: string, login: string): Promise<string> {
    let url = authorization
    for (let step = 0; step < 12; step++) {
      const answer = await this.open(url)
      const location = answer.headers.get("location")
      if (location !== null) {
        url = new URL(location, url).href
        if (url.startsWith(REDIRECT)) return url
        continue
      }
      const page = await answer.text()
      const action = /action="([^"]+)"/u.exec(page)?.[1]
      const prompt = /name="prompt" value="([^"]+)"/u.exec(page)?.[1]
      if (action === undefined || prompt === undefined) throw new Error(`no form at ${url}: ${page.slice(0, 200)}`)
      const form = new URLSearchParams({ prompt, ...(prompt === "login" ? { login, password: "x" } : {}) })
      const posted = await this.open(action.replaceAll("&amp;", "&"), {
        method: "POST",
        body: form.toString(),
        headers: { "content-type": "application/x-www-form-urlencoded" }
      })
      url = new URL(posted.headers.get("location")!, url).href
      if (url.startsWith(REDIRECT)) return url
    }
    throw new Error("the provider does not end")
  }
}
