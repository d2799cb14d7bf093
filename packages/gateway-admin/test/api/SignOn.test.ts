/** Sign-on at a real OpenID provider, and the attacks on it. */
import { createHmac, generateKeyPairSync, hash } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { Gateway } from "@plumbline/gateway"
import type { AdminServer } from "@plumbline/gateway-admin"
import * as Databases from "@plumbline/gateway/support/databases"
import { Clock, Effect, Layer, Logger } from "effect"

import * as Admin from "../support/admin.ts"
import * as IdentityProvider from "../support/identityProvider.ts"

const { Browser, CLIENT, REDIRECT, SECRET } = IdentityProvider

const settingsOf = ({ issuer }: IdentityProvider.IdentityProvider) =>
  ({
    issuer,
    clientId: CLIENT,
    clientSecret: SECRET,
    redirectUrl: REDIRECT,
    groups: {
      "plumbline-owners": { role: "owner" },
      "plumbline-readers": { role: "read-only" },
      "plumbline-support": { role: "support" }
    }
  }) as const

interface World {
  readonly url: string
  readonly provider: IdentityProvider.IdentityProvider
  readonly database: Databases.Database
  readonly logged: ReadonlyArray<string>
  /** Begins a sign-in, and returns the address at the provider. */
  readonly begin: (browser: InstanceType<typeof Browser>, to?: string) => Promise<string>
  /** Opens an address of the provider's redirect at the service. */
  readonly back: (browser: InstanceType<typeof Browser>, url: string) => Promise<Response>
  /** Signs in, and returns the answer of the callback. */
  readonly signIn: (browser: InstanceType<typeof Browser>, login: string) => Promise<Response>
  /** Asks the API with the browser's session. */
  readonly api: (
    browser: InstanceType<typeof Browser>,
    method: string,
    path: string,
    body?: object
  ) => Promise<Response>
}

const worldOf = (
  service: { readonly url: string },
  provider: IdentityProvider.IdentityProvider,
  rest: Pick<World, "database" | "logged">
): World => {
  const { url } = service
  const begin: World["begin"] = async (browser, to) => {
    const answer = await browser.open(`${url}/admin/sign-in${to === undefined ? "" : `?to=${encodeURIComponent(to)}`}`)
    assert.strictEqual(answer.status, 303, await answer.text())
    return answer.headers.get("location")!
  }
  const back: World["back"] = (browser, at) => browser.open(at.replace("http://127.0.0.1:1", url))
  return {
    url,
    provider,
    ...rest,
    begin,
    back,
    signIn: async (browser, login) => back(browser, await browser.signIn(await begin(browser), login)),
    api: async (browser, method, path, body) => {
      const known = await browser.open(`${url}/admin/v1/session`)
      const { csrfToken = "" } = (await known.json()) as { readonly csrfToken?: string }
      return browser.open(`${url}/admin/v1${path}`, {
        method,
        headers: { "x-csrf-token": csrfToken, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    }
  }
}

describe.each(Databases.kinds)("sign-on over $name", (kind) => {
  const test = (
    name: string,
    body: (world: World) => Promise<void>,
    options: (provider: IdentityProvider.IdentityProvider) => Partial<AdminServer.AdminServerOptions> = (provider) => ({
      oidc: settingsOf(provider)
    })
  ) =>
    it.live.skipIf(kind.skipped)(name, () =>
      Effect.gen(function* () {
        const provider = yield* IdentityProvider.start
        const database = yield* kind.fresh
        const logged: Array<string> = []
        const logger = Logger.map(Logger.formatStructured, (entry) => void logged.push(JSON.stringify(entry)))
        yield* Effect.flatMap(Gateway.Gateway, (service) =>
          Effect.promise(() => body(worldOf(service, provider, { database, logged })))
        ).pipe(Effect.provide(Layer.fresh(Admin.service(database.layer, options(provider), [logger]))))
      }).pipe(Effect.scoped)
    )

  test("begins a session with the role of the groups, and no token reaches the browser", async (world) => {
    world.provider.groups.set("ada", ["other", "plumbline-support"])
    const browser = new Browser()
    const at = await world.begin(browser, "/console/projects?x=1")
    const asked = new URL(at).searchParams
    assert.deepStrictEqual(
      [asked.get("response_type"), asked.get("client_id"), asked.get("redirect_uri"), asked.get("scope")],
      ["code", CLIENT, REDIRECT, "openid email"]
    )
    assert.deepStrictEqual([asked.get("code_challenge_method"), asked.get("code_challenge")?.length], ["S256", 43])
    const returned = await browser.signIn(at, "ada")
    const answer = await world.back(browser, returned)
    assert.deepStrictEqual([answer.status, answer.headers.get("location")], [303, "/console/projects?x=1"])
    const [session, attempt] = answer.headers.getSetCookie()
    assert.match(session!, /^plumbline=[\w-]{43}; Path=\/admin; HttpOnly; SameSite=Strict; Max-Age=43200$/u)
    assert.match(attempt!, /^plumbline-sign-in=; Path=\/admin\/sign-in; HttpOnly; SameSite=Lax; Max-Age=0$/u)
    assert.strictEqual(await answer.text(), "")
    const shown = await (await browser.open(`${world.url}/admin/v1/session`)).json()
    assert.deepInclude(shown, {
      kind: "operator",
      label: "oidc:ada@example.com",
      role: "support",
      projects: null,
      signOutUrl: "/admin/sign-in/out"
    })
    assert.strictEqual((await world.api(browser, "GET", "/projects")).status, 200)
    assert.strictEqual((await world.api(browser, "POST", "/accounts", { name: "x" })).status, 403)
    // the session needs its CSRF token, as every session does
    assert.strictEqual((await browser.open(`${world.url}/admin/v1/projects`)).status, 403)
    // the audit log names the person and the address
    const admin = await fetch(`${world.url}/admin/v1/audit`, { headers: { authorization: `Bearer ${Admin.TOKEN}` } })
    const { entries } = (await admin.json()) as { readonly entries: ReadonlyArray<Record<string, unknown>> }
    assert.deepInclude(entries[0], { by: "oidc:ada@example.com", action: "session.create", from: "127.0.0.1" })
    // nothing of the sign-in can be used by a reader of the logs
    const code = new URL(returned).searchParams.get("code")!
    for (const secret of [SECRET, code, asked.get("state")!, session!.split(/[=;]/u)[1]!]) {
      assert.notInclude(world.logged.join("\n"), secret)
      assert.notInclude(JSON.stringify(entries), secret)
    }
    // signing out ends the session here, and leads to the provider's own page
    assert.strictEqual((await world.api(browser, "DELETE", "/session")).status, 204)
    assert.strictEqual((await browser.open(`${world.url}/admin/v1/session`)).status, 401)
    const out = await browser.open(`${world.url}/admin/sign-in/out`)
    assert.match(
      out.headers.get("location")!,
      new RegExp(`^${world.provider.issuer}/session/end\\?client_id=plumbline$`, "u")
    )
  })

  test("refuses a person without a group, and a person whose group was removed at the next sign-in", async (world) => {
    const browser = new Browser()
    for (const groups of [undefined, [], ["other"], ["__proto__"], ["constructor"]]) {
      if (groups !== undefined) world.provider.groups.set("bob", groups)
      const answer = await world.signIn(browser, "bob")
      assert.strictEqual(answer.status, 403)
      assert.include(await answer.text(), "you are in no group that may use this service")
      assert.isFalse(browser.cookies(world.url).has("plumbline"))
    }
    world.provider.groups.set("bob", ["plumbline-owners", "plumbline-readers"])
    assert.strictEqual((await world.signIn(browser, "bob")).status, 303)
    assert.strictEqual((await world.api(browser, "GET", "/operators/tokens")).status, 200)
    world.provider.groups.set("bob", ["plumbline-readers"])
    assert.strictEqual((await world.signIn(browser, "bob")).status, 303)
    assert.strictEqual((await world.api(browser, "GET", "/operators/tokens")).status, 403)
    world.provider.groups.delete("bob")
    assert.strictEqual((await world.signIn(browser, "bob")).status, 403)
  })

  test("refuses a code, a state and a cookie of another sign-in", async (world) => {
    world.provider.groups.set("ada", ["plumbline-owners"])
    const [ada, eve] = [new Browser(), new Browser()]
    const refused = async (browser: InstanceType<typeof Browser>, at: string, status: number) => {
      const answer = await world.back(browser, at)
      assert.strictEqual(answer.status, status, `${at} ${await answer.clone().text()}`)
      assert.isFalse(browser.cookies(world.url).has("plumbline"), at)
    }
    // without the cookie: another browser
    const first = await ada.signIn(await world.begin(ada), "ada")
    await refused(eve, first, 400)
    // with the cookie of another sign-in: the state differs
    await world.begin(eve)
    await refused(eve, first, 401)
    // a changed or missing state, an error, another issuer in the answer (RFC 9207)
    for (const change of [
      (url: URL) => url.searchParams.set("state", "x"),
      (url: URL) => url.searchParams.delete("state"),
      (url: URL) => url.searchParams.append("state", "x"),
      (url: URL) => url.searchParams.set("iss", "https://evil.example"),
      (url: URL) => url.searchParams.set("code", "x")
    ]) {
      const browser = new Browser()
      const url = new URL(await browser.signIn(await world.begin(browser), "ada"))
      change(url)
      await refused(browser, url.href, 401)
    }
    const denied = new Browser()
    const asked = new URL(await world.begin(denied))
    const state = asked.searchParams.get("state")
    const iss = encodeURIComponent(world.provider.issuer)
    await refused(denied, `${REDIRECT}?error=access_denied&state=${state}&iss=${iss}`, 403)
    // a replayed code, with the cookie put back
    const browser = new Browser()
    const at = await world.begin(browser)
    const cookie = browser.cookies(world.url).get("plumbline-sign-in")
    const url = await browser.signIn(at, "ada")
    assert.strictEqual((await world.back(browser, url)).status, 303)
    browser.set(world.url, "plumbline", undefined)
    browser.set(world.url, "plumbline-sign-in", cookie)
    await refused(browser, url, 401)
    // a target in the cookie that is none of the console
    const other = new Browser()
    const back = await other.signIn(await world.begin(other), "ada")
    const [secret, , ...signed] = other.cookies(world.url).get("plumbline-sign-in")!.split(".")
    const target = Buffer.from("//evil.example").toString("base64url")
    other.set(world.url, "plumbline-sign-in", [secret, target, ...signed].join("."))
    await refused(other, back, 400)
  })

  test("asks the provider nothing about a forged callback", async (world) => {
    const token = () => world.provider.requests.get("/token") ?? 0
    const all = () => [...world.provider.requests.values()].reduce((sum, count) => sum + count, 0)
    // a stranger knows how states are made, but not the service's signature
    const secret = "a".repeat(43)
    const state = hash("sha256", `sign-in state ${secret}`, "base64url")
    const value = `${secret}.${Buffer.from("/console/").toString("base64url")}.${Math.floor(Date.now() / 1000) + 600}`
    for (const cookie of ["", secret, value, `${value}.`, `${value}.${"a".repeat(43)}`]) {
      const browser = new Browser()
      browser.set(world.url, "plumbline-sign-in", cookie)
      const answer = await browser.open(`${world.url}/admin/sign-in/callback?code=x&state=${state}`)
      assert.strictEqual(answer.status, 400, cookie)
    }
    assert.strictEqual(all(), 0)
    // nor about the state of another sign-in; only about its own
    const browser = new Browser()
    const own = new URL(await world.begin(browser)).searchParams.get("state")!
    const before = all()
    const open = async (given: string) => {
      const cookie = browser.cookies(world.url).get("plumbline-sign-in")
      const answer = await browser.open(`${world.url}/admin/sign-in/callback?code=x&state=${given}`)
      browser.set(world.url, "plumbline-sign-in", cookie)
      return answer.status
    }
    assert.deepStrictEqual([await open(state), all() - before], [401, 0])
    const iss = encodeURIComponent(world.provider.issuer)
    assert.deepStrictEqual([await open(`${own}&iss=${iss}`), token()], [401, 1])
  })

  test("refuses forged ID tokens", async (world) => {
    world.provider.groups.set("ada", ["plumbline-owners"])
    const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey
    const now = () => Math.floor(Date.now() / 1000)
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
    const forgeries: Readonly<Record<string, IdentityProvider.Forge>> = {
      "another nonce": (header, claims, sign) => sign(header, { ...claims, nonce: "x" }),
      "no nonce": (header, claims, sign) => sign(header, { ...claims, nonce: undefined }),
      "another audience": (header, claims, sign) => sign(header, { ...claims, aud: "other" }),
      "a further audience": (header, claims, sign) => sign(header, { ...claims, aud: [CLIENT, "other"] }),
      "another issuer": (header, claims, sign) => sign(header, { ...claims, iss: "https://evil.example" }),
      expired: (header, claims, sign) => sign(header, { ...claims, iat: now() - 7200, exp: now() - 60 }),
      "not yet valid": (header, claims, sign) => sign(header, { ...claims, nbf: now() + 600 }),
      unsigned: (header, claims) => `${part({ ...header, alg: "none" })}.${part(claims)}.`,
      "without a signature": (header, claims) => `${part(header)}.${part(claims)}.`,
      "another key": (header, claims, sign) => sign(header, claims, other),
      "an unknown key": (header, claims, sign) => sign({ ...header, kid: "x" }, claims, other),
      "other groups": (header, claims, sign) => {
        const [head, , signature] = sign(header, claims).split(".")
        return `${head}.${part({ ...claims, groups: ["plumbline-owners"] })}.${signature}`
      },
      "no subject": (header, claims, sign) => sign(header, { ...claims, sub: undefined })
    }
    for (const [name, forge] of Object.entries(forgeries)) {
      world.provider.forge = forge
      if (name === "other groups") world.provider.groups.set("ada", ["plumbline-readers"])
      const browser = new Browser()
      const answer = await world.signIn(browser, "ada")
      assert.strictEqual(answer.status, 401, name)
      assert.isFalse(browser.cookies(world.url).has("plumbline"), name)
    }
    // clocks may differ by 30 seconds, and a token that is signed again is as good as the first
    world.provider.forge = (header, claims, sign) => sign(header, { ...claims, iat: now() - 60, exp: now() - 5 })
    assert.strictEqual((await world.signIn(new Browser(), "ada")).status, 303)
  })

  test("accepts rotated keys at once, and a provider that comes back", async (world) => {
    world.provider.groups.set("ada", ["plumbline-readers"])
    assert.strictEqual((await world.signIn(new Browser(), "ada")).status, 303)
    world.provider.rotate()
    assert.strictEqual((await world.signIn(new Browser(), "ada")).status, 303)
    // the metadata of the provider is read once a minute, however often a stranger begins a sign-in
    const before = world.provider.requests.get("/.well-known/openid-configuration")
    for (let count = 0; count < 20; count++) await world.begin(new Browser())
    assert.deepStrictEqual([before, world.provider.requests.get("/.well-known/openid-configuration")], [1, 1])
  })

  test("returns to pages of the console only", async (world) => {
    for (const to of [
      "https://evil.example/",
      "//evil.example",
      "/\\evil.example",
      "/console//../..//evil.example",
      "/console/../admin/sign-in",
      "/admin/docs",
      "/consolex",
      "console/",
      "javascript:alert(1)",
      "/console/\r\nset-cookie: a=b",
      `/console/${"a".repeat(2000)}`
    ]) {
      const browser = new Browser()
      const answer = await browser.open(`${world.url}/admin/sign-in?to=${encodeURIComponent(to)}`)
      assert.strictEqual(answer.status, 400, to)
      assert.isNull(answer.headers.get("location"), to)
      assert.strictEqual(browser.cookies(world.url).size, 0, to)
    }
    assert.strictEqual((await fetch(`${world.url}/admin/sign-in`, { method: "POST" })).status, 401)
  })

  test("names a person by the subject if the provider has not verified the address", async (world) => {
    world.provider.groups.set("unverified", ["plumbline-readers"])
    const browser = new Browser()
    assert.strictEqual((await world.signIn(browser, "unverified")).status, 303)
    const shown = (await (await browser.open(`${world.url}/admin/v1/session`)).json()) as { readonly label: string }
    assert.strictEqual(shown.label, "oidc:unverified")
  })

  test("gives each person a name of their own, whatever the subject is", async (world) => {
    world.provider.groups.set("ada", ["plumbline-readers"])
    const labelOf = async (claims: object): Promise<string> => {
      world.provider.forge = (header, given, sign) => sign(header, { ...given, ...claims })
      const browser = new Browser()
      assert.strictEqual((await world.signIn(browser, "ada")).status, 303)
      return ((await (await browser.open(`${world.url}/admin/v1/session`)).json()) as { readonly label: string }).label
    }
    const address = { email: "ada@example.org", email_verified: true }
    assert.strictEqual(await labelOf(address), "oidc:ada@example.org")
    assert.strictEqual(await labelOf({ sub: "ada@example.org", email_verified: false }), "oidc:ada%40example.org")
    assert.strictEqual(await labelOf({ ...address, email: "m\u00fcller@example.org" }), "oidc:m%C3%BCller@example.org")
    assert.strictEqual(await labelOf({ ...address, email: "m\u00e4ller@example.org" }), "oidc:m%C3%A4ller@example.org")
    assert.strictEqual(await labelOf({ sub: "a".repeat(600), email: undefined }), `oidc:${"a".repeat(395)}`)
  })

  test("holds in every process, until the group loses its role or the provider changes", async (world) => {
    world.provider.groups.set("ada", ["plumbline-support"])
    const browser = new Browser()
    assert.strictEqual((await world.signIn(browser, "ada")).status, 303)
    const cookie = browser.cookies(world.url).get("plumbline")!
    const oidc = settingsOf(world.provider)
    const roleWith = (options: Partial<AdminServer.AdminServerOptions>) =>
      Effect.runPromise(
        Effect.flatMap(Gateway.Gateway, ({ url }) =>
          Effect.promise(async () => {
            const answer = await fetch(`${url}/admin/v1/session`, { headers: { cookie: `plumbline=${cookie}` } })
            return answer.status === 200 ? ((await answer.json()) as { readonly role: string }).role : answer.status
          })
        ).pipe(Effect.provide(Layer.fresh(Admin.service(Layer.fresh(world.database.layer), options))))
      )
    assert.strictEqual(await roleWith({ oidc }), "support")
    assert.strictEqual(
      await roleWith({ oidc: { ...oidc, groups: { "plumbline-support": { role: "read-only" } } } }),
      "read-only"
    )
    assert.strictEqual(await roleWith({ oidc: { ...oidc, groups: { other: { role: "owner" } } } }), 401)
    assert.strictEqual(await roleWith({ oidc: { ...oidc, clientId: "other" } }), 401)
    assert.strictEqual(await roleWith({}), 401)
  })

  /** Begins a sign-in at the service, and ends it at another process of the database. */
  const across = async (world: World, options: Partial<AdminServer.AdminServerOptions>, clock?: Clock.Clock) => {
    const other = Admin.service(Layer.fresh(world.database.layer), { oidc: settingsOf(world.provider), ...options })
    return Effect.runPromise(
      Effect.flatMap(Gateway.Gateway, ({ url }) =>
        Effect.promise(async () => {
          const browser = new Browser()
          const at = await browser.signIn(await world.begin(browser), "ada")
          // both processes have one address, behind a balancer
          for (const [name, value] of browser.cookies(world.url)) browser.set(url, name, value)
          const answer = await browser.open(at.replace("http://127.0.0.1:1", url))
          return [answer.status, await answer.text()] as const
        })
      ).pipe(
        Effect.provide(
          Layer.fresh(clock === undefined ? other : Layer.provide(other, Layer.succeed(Clock.Clock, clock)))
        )
      )
    )
  }

  test("ends at any process of the service, whatever admin tokens and client secret it has", async (world) => {
    world.provider.groups.set("ada", ["plumbline-readers"])
    assert.strictEqual((await across(world, { tokens: Admin.tokens.slice(1) }))[0], 303)
  })

  test("is over ten minutes after its beginning, although the browser still has its cookie", async (world) => {
    world.provider.groups.set("ada", ["plumbline-readers"])
    for (const [seconds, status] of [
      [590, 303],
      [601, 400]
    ] as const) {
      const [found, page] = await across(world, {}, later(seconds * 1000))
      assert.strictEqual(found, status, page)
      if (status === 400) assert.include(page, "this browser has not begun this sign-in, or more than ten minutes ago")
    }
  })

  test("signs its cookie with no secret that a person chose: a client secret forges none", async (world) => {
    const secret = "a".repeat(43)
    const state = hash("sha256", `sign-in state ${secret}`, "base64url")
    const value = `${secret}.${Buffer.from("/console/").toString("base64url")}.${Math.floor(Date.now() / 1000) + 600}`
    const keys = [SECRET, "", ...Admin.tokens.map(({ digest }) => digest), Admin.TOKEN]
    for (const key of keys) {
      const browser = new Browser()
      const signature = createHmac("sha256", key).update(`sign-in cookie ${value}`).digest("base64url")
      browser.set(world.url, "plumbline-sign-in", `${value}.${signature}`)
      const answer = await browser.open(`${world.url}/admin/sign-in/callback?code=x&state=${state}`)
      assert.strictEqual(answer.status, 400, key)
    }
    assert.strictEqual(world.provider.requests.size, 0)
  })
})

/** A clock that is ahead of this machine's by some milliseconds. */
const later = (millis: number): Clock.Clock => {
  const own = Effect.runSync(Clock.Clock)
  return Object.assign(Object.create(own) as Clock.Clock, {
    currentTimeMillisUnsafe: () => own.currentTimeMillisUnsafe() + millis,
    currentTimeMillis: Effect.map(own.currentTimeMillis, (now) => now + millis)
  })
}

describe("sign-on", () => {
  const [memory] = Databases.kinds as [Databases.Kind]
  const failure = (oidc: NonNullable<AdminServer.AdminServerOptions["oidc"]>) =>
    Effect.gen(function* () {
      const { layer } = yield* memory.fresh
      const failed = yield* Effect.flip(Layer.build(Layer.fresh(Admin.service(layer, { oidc }))))
      return failed.message
    }).pipe(Effect.scoped)
  const sound = {
    issuer: "https://id.example",
    clientId: "a",
    redirectUrl: "https://ops.example/admin/sign-in/callback",
    groups: { ops: { role: "owner" } }
  } as const

  it.live("is not there with settings that are not safe", () =>
    Effect.gen(function* () {
      for (const [change, expected] of [
        [{ issuer: "http://id.example" }, /^oidc\.issuer: must be a URL with https/u],
        [{ issuer: "https://user:pass@id.example" }, /^oidc\.issuer: must be/u],
        [{ redirectUrl: "http://ops.example/admin/sign-in/callback" }, /^oidc\.redirectUrl: must be/u],
        [{ redirectUrl: "https://ops.example/other" }, /^oidc\.redirectUrl: must be/u],
        [
          { groups: { ops: { role: "root" } } },
          /^oidc\.groups\.ops\.role: must be read-only, support, operator or owner/u
        ],
        [{ groups: { ops: { role: "owner", projects: ["a"] } } }, /^oidc\.groups\.ops\.projects: must be absent/u],
        [{ groups: { ops: { role: "support", projects: [] } } }, /^oidc\.groups\.ops\.projects: must be 1 to 100/u],
        [{ clockTolerance: "10 minutes" }, /^oidc\.clockTolerance: must be a time from 1s to 5m/u]
      ] as const) {
        assert.match(yield* failure({ ...sound, ...(change as object) }), expected)
      }
    })
  )

  it.live(
    "fails with a sentence if the provider cannot be reached, and the cookie is only for TLS where there is TLS",
    () =>
      Effect.gen(function* () {
        const { layer } = yield* memory.fresh
        const provider = yield* IdentityProvider.start
        const url = yield* Effect.flatMap(Gateway.Gateway, (service) => Effect.succeed(service.url)).pipe(
          Effect.provide(
            yield* Layer.build(
              Layer.fresh(
                Admin.service(layer, {
                  oidc: { ...settingsOf(provider), redirectUrl: "https://ops.example/admin/sign-in/callback" }
                })
              )
            )
          )
        )
        const begun = yield* Effect.promise(() => fetch(`${url}/admin/sign-in`, { redirect: "manual" }))
        assert.match(
          begun.headers.get("set-cookie")!,
          /^__Host-plumbline-sign-in=[\w-]{43}\.[\w-]+\.\d+\.[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/u
        )
        const { layer: other } = yield* memory.fresh
        const gone = { ...settingsOf(provider), issuer: "http://127.0.0.1:1" }
        const second = yield* Layer.build(Layer.fresh(Admin.service(other, { oidc: gone })))
        const away = yield* Effect.flatMap(Gateway.Gateway, (service) =>
          Effect.promise(async () => {
            const answer = await fetch(`${service.url}/admin/sign-in`)
            return [answer.status, await answer.text()] as const
          })
        ).pipe(Effect.provide(second))
        assert.strictEqual(away[0], 502)
        assert.include(away[1], "the identity provider does not answer")
      }).pipe(Effect.scoped)
  )

  it.live("takes no place of the API while a provider is silent, and writes only some failures to the log", () =>
    Effect.gen(function* () {
      const silent = createServer(() => undefined)
      yield* Effect.callback<void>((resume) => void silent.listen(0, "127.0.0.1", () => resume(Effect.void)))
      yield* Effect.addFinalizer(() => Effect.sync(() => (silent.close(), silent.closeAllConnections())))
      const issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
      const logged: Array<string> = []
      const logger = Logger.map(Logger.formatStructured, (entry) => void logged.push(JSON.stringify(entry)))
      const { layer } = yield* memory.fresh
      const oidc = { ...sound, issuer }
      const context = yield* Layer.build(Layer.fresh(Admin.service(layer, { oidc }, [logger])))
      const { url } = yield* Effect.provide(Gateway.Gateway, context)
      yield* Effect.promise(async () => {
        for (let i = 0; i < 30; i++) assert.strictEqual((await fetch(`${url}/admin/sign-in/callback`)).status, 400)
        const leaving = new AbortController()
        const waiting = Array.from({ length: 80 }, () =>
          fetch(`${url}/admin/sign-in`, { signal: leaving.signal }).then(
            ({ status }) => status,
            () => undefined
          )
        )
        // the refused ones come at once
        assert.strictEqual(await Promise.race(waiting), 503)
        const headers = { authorization: `Bearer ${Admin.TOKEN}` }
        assert.strictEqual((await fetch(`${url}/admin/v1/status`, { headers })).status, 200)
        leaving.abort()
        await Promise.all(waiting)
      })
      assert.lengthOf(
        logged.filter((entry) => entry.includes("sign-in failed")),
        10
      )
    }).pipe(Effect.scoped)
  )
})
