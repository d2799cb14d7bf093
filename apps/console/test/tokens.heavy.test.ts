/**
 * Tests the tokens of a project's users in Chromium: keys, programs that sign, and the check of a token, which must
 * agree with the check of the service.
 */
import { spawnSync } from "node:child_process"
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { readFileSync } from "node:fs"
import * as path from "node:path"

import { describe, expect, test } from "vitest"

import * as Operator from "./support/Operator.ts"
import { sideways, violations } from "./support/Pages.ts"
import * as Service from "./support/Service.ts"

if (Service.skipped) console.warn("no Chromium: the tests of user tokens in a browser are skipped")

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

interface Signer {
  readonly kid: string
  readonly alg: "EdDSA" | "ES256" | "RS256"
  readonly privateKey: KeyObject
  readonly jwk: object
}

/** Makes a key with Node's own cryptography, which the page does not use. */
const signer = (kid: string, alg: Signer["alg"]): Signer => {
  const pair =
    alg === "EdDSA"
      ? generateKeyPairSync("ed25519")
      : alg === "ES256"
        ? generateKeyPairSync("ec", { namedCurve: "P-256" })
        : generateKeyPairSync("rsa", { modulusLength: 2048 })
  return { kid, alg, privateKey: pair.privateKey, jwk: { kid, ...pair.publicKey.export({ format: "jwk" }) } }
}

const tokenOf = ({ alg, kid, privateKey }: Signer, claims: object, header: object = {}): string => {
  const text = `${part({ alg, kid, typ: "JWT", ...header })}.${part(claims)}`
  const bytes = Buffer.from(text)
  const signature =
    alg === "EdDSA"
      ? sign(null, bytes, privateKey)
      : sign("sha256", bytes, alg === "ES256" ? { key: privateKey, dsaEncoding: "ieee-p1363" } : privateKey)
  return `${text}.${signature.toString("base64url")}`
}

describe.skipIf(Service.skipped)("user tokens", { concurrent: false }, () => {
  const operator = Operator.forTests()

  test("are signed by the programs as pasted, and let a user in", async () => {
    const { apiKey, project } = await operator.make({ name: "app" })
    const { close, page, requests, wrong } = await operator.open()
    await page.goto(`${operator.service.url}/console/projects/${project.id}`)
    await page.click("section:has(#tokens-title) >> text=Open")
    await page.waitForSelector("h2:has-text('A key of your own for each user')")
    expect(await violations(page)).toBe("")
    const pasted = operator.runProgram(await Operator.programOf(page, "1. Make a key"))
    const secret = readFileSync(path.join(operator.folder, "users-private-key.json"), "utf8")

    await page.focus("text=Add a public key")
    await page.keyboard.press("Enter")
    await page.waitForSelector("[role=dialog] [name=keys]")
    expect(await violations(page)).toBe("")
    for (const [text, why] of [
      [secret, "This is a private key. It was not sent."],
      [`{"keys":[${secret}]}`, "This is a private key. It was not sent."],
      ["-----BEGIN PRIVATE KEY-----", "This is a private key. It was not sent."],
      ["-----BEGIN PUBLIC KEY-----", "This is a key in PEM."],
      ["ssh-ed25519 AAAA", "This is not JSON."]
    ] as const) {
      await page.fill("[name=keys]", text)
      await page.click("[role=dialog] button[type=submit]")
      await page.waitForSelector(`[role=dialog] .problem:has-text('${why}')`)
    }
    expect(requests.filter((text) => text.startsWith("PUT"))).toEqual([])
    await page.fill("[name=keys]", pasted)
    await page.check("[name=required]")
    await page.fill("[name=toleranceSeconds]", "301")
    await page.click("[role=dialog] button[type=submit]")
    await page.waitForSelector(
      "[role=dialog] .problem:has-text('toleranceSeconds'), [role=dialog] .problem:has-text('300')"
    )
    await page.fill("[name=toleranceSeconds]", "")
    await page.click("[role=dialog] button[type=submit]")
    await page.waitForSelector("text=Every call of JSON-RPC must carry a token that the project has signed.")
    expect(await page.textContent("section:has(#keys-title)")).toContain("EdDSA, Ed25519")

    const token = operator.runProgram(await Operator.programOf(page, "2. Sign a token"), "sign.mjs")
    const before = requests.length
    await page.fill("section:has(#check-title) textarea", `Bearer ${token}`)
    await page.waitForSelector(".token-outcome:has-text('The service lets this token in.')")
    expect(await page.textContent(".token-steps")).toMatch(/Signature.*made with the private key of/u)
    expect(await page.textContent("section:has(#check-title) tbody tr:has-text('Methods')")).toMatch(
      /eth_blockNumbereth_call.*all/u
    )
    expect(await violations(page)).toBe("")
    // no part of the token is sent or stored
    const signature = token.split(".")[2]!
    expect(requests.slice(before).filter((text) => text.includes(signature))).toEqual([])
    expect(
      await page.evaluate(
        "JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }])"
      )
    ).not.toContain(signature)

    const curl = (await Operator.programOf(page, "3. Call with it")).replaceAll("YOUR_KEY", apiKey)
    await expect.poll(async () => (await operator.call(apiKey)).status).toBe(401)
    const { stdout } = spawnSync("sh", ["-c", curl], {
      cwd: operator.folder,
      encoding: "utf8",
      env: { ...process.env, PATH: `${path.dirname(process.execPath)}:${process.env["PATH"]}` }
    })
    expect(JSON.parse(stdout)).toEqual({ jsonrpc: "2.0", id: 1, result: "0x45" })

    await page.click("text=Clear the field")
    await page.waitForSelector(".token-outcome", { state: "detached" })
    await page.click(".tokens .lead >> text=End…")
    expect(await page.textContent("[role=dialog]")).toContain("Tokens are required now.")
    await page.click("[role=dialog] button[type=submit]")
    await page.waitForSelector("h2:has-text('A key of your own for each user')")
    await expect.poll(async () => (await operator.call(apiKey)).status).toBe(200)
    // the only error on the page is the answer 400 to the refused tolerance
    expect(wrong.filter((text) => !text.includes("400"))).toEqual([])
    await close()
  })

  test("are judged in the page as by the service, with the same reason", async () => {
    const { apiKey, project } = await operator.make({ name: "judged" })
    const signers = { ed: signer("ed", "EdDSA"), ec: signer("ec", "ES256"), rsa: signer("rsa", "RS256") }
    const { ec, ed, rsa } = signers
    await operator.admin(
      `/projects/${project.id}/tokens`,
      {
        keys: Object.values(signers).map(({ jwk }) => jwk),
        required: true,
        audience: "app",
        userLimits: { creditsPerDay: 1_000_000 }
      },
      "PUT"
    )
    await expect.poll(async () => (await operator.call(apiKey)).status).toBe(401)
    const now = Math.floor(Date.now() / 1000)
    const good = { sub: "user-1", aud: "app", exp: now + 3600 }
    const other = signer("ed", "EdDSA")
    const whole = tokenOf(ed, good)
    const tokens: Readonly<Record<string, string>> = {
      "a good one of Ed25519": whole,
      "a good one of P-256": tokenOf(ec, { ...good, aud: ["other", "app"], nbf: now - 10 }),
      "a good one of RSA": tokenOf(rsa, { ...good, methods: ["eth_blockNumber"], networks: ["history"] }),
      "one within the tolerance": tokenOf(ed, { ...good, exp: now - 5 }),
      "no token": "hello",
      "a header that is none": `${part([])}.${part(good)}.AAAA`,
      "no kid": tokenOf(ed, good, { kid: undefined }),
      "another kid": tokenOf(ed, good, { kid: "nobody" }),
      "alg none": tokenOf(ed, good, { alg: "none" }),
      "the alg of another key": tokenOf(ed, good, { alg: "ES256" }),
      "critical members": tokenOf(ed, good, { crit: ["b64"] }),
      "another typ": tokenOf(ed, good, { typ: "at+jwt" }),
      "the key of a stranger": tokenOf(other, good),
      "changed claims": [whole.split(".")[0], part({ ...good, sub: "user-2" }), whole.split(".")[2]].join("."),
      "a cut signature": tokenOf(ec, good).slice(0, -8),
      "claims that are none": tokenOf(ed, []),
      "no aud": tokenOf(ed, { ...good, aud: undefined }),
      "another aud": tokenOf(ed, { ...good, aud: project.id }),
      "no exp": tokenOf(ed, { ...good, exp: undefined }),
      "an exp that is no number": tokenOf(ed, { ...good, exp: "tomorrow" }),
      "an expired one": tokenOf(ed, { ...good, exp: now - 120 }),
      "one that is not valid yet": tokenOf(rsa, { ...good, nbf: now + 3600 }),
      "no sub": tokenOf(ed, { ...good, sub: undefined }),
      "an empty sub": tokenOf(ed, { ...good, sub: "" }),
      "an empty list": tokenOf(ed, { ...good, methods: [] }),
      "an entry that is none": tokenOf(ed, { ...good, addresses: ["0x12"] }),
      "a text in the place of a list": tokenOf(ed, { ...good, networks: "history" })
    }
    const { close, page, wrong } = await operator.open()
    await page.goto(`${operator.service.url}/console/projects/${project.id}/tokens`)
    const seen = new Set<string>()
    for (const [name, token] of Object.entries(tokens)) {
      const answer = await operator.call(apiKey, { authorization: `Bearer ${token}` })
      await answer.text()
      const [, reason] = /error_description="([^"]*)"/u.exec(answer.headers.get("www-authenticate") ?? "") ?? []
      // the service may accept a token that does not allow the call
      const isIn = answer.status === 200
      expect(isIn === (reason === undefined), name).toBe(true)
      seen.add(reason ?? "")
      await page.fill("section:has(#check-title) textarea", "")
      await page.waitForSelector(".token-outcome", { state: "detached" })
      await page.fill("section:has(#check-title) textarea", token)
      await page.waitForSelector(".token-outcome")
      expect(await page.textContent(".token-outcome"), name).toBe(
        isIn ? "The service lets this token in." : `The service refuses this token: ${reason}.`
      )
    }
    expect(seen.size).toBeGreaterThan(12)
    expect(wrong).toEqual([])
    await close()
  })

  test("are read by the project's own session, which changes nothing", async () => {
    const { apiKey, apiKeySecret, project } = await operator.make({ name: "own" })
    const { jwk } = signer("mine", "EdDSA")
    await operator.admin(`/projects/${project.id}/tokens`, { keys: jwk }, "PUT")
    const { close, page } = await operator.open({ isOut: true })
    await page.goto(`${operator.service.url}/console/projects/${project.id}/tokens`)
    await page.click(".seg button:has-text('Project')")
    await page.fill("[name=apiKey]", apiKey)
    await page.fill("[name=apiKeySecret]", apiKeySecret)
    await page.click("form button[type=submit]")
    await page.waitForSelector("section:has(#keys-title):has-text('mine')")
    expect(await page.locator(".tokens button:has-text('…')").count()).toBe(0)
    expect(await violations(page)).toBe("")
    await close()
  })

  test.each(["light", "dark"] as const)("fit a phone and have no flaw that axe finds: %s", async (colorScheme) => {
    const { project } = await operator.make({ name: "a project with a name that is longer than most names are" })
    const one = signer("a-key-with-a-long-name-that-says-when-it-was-made-2026-11-23", "RS256")
    await operator.admin(`/projects/${project.id}/tokens`, { keys: one.jwk, userLimits: { burst: 5 } }, "PUT")
    const phone = {
      colorScheme,
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      reducedMotion: "reduce"
    } as const
    const { close, page, wrong } = await operator.open(phone)
    await page.goto(`${operator.service.url}/console/projects/${project.id}/tokens`)
    await page.waitForSelector("section:has(#check-title)")
    const token = tokenOf(one, { sub: "u", aud: project.id, exp: 4e9, addresses: [`0x${"ab".repeat(20)}`] })
    await page.fill("section:has(#check-title) textarea", token)
    await page.waitForSelector(".token-outcome:has-text('lets this token in')")
    expect(await violations(page)).toBe("")
    expect(await Operator.width(page)).toBeLessThanOrEqual(390)
    expect(await sideways(page)).toEqual([])
    expect(wrong).toEqual([])
    await close()
  })
})
