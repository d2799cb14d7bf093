/** The section `admin`: the sign-on with OpenID Connect, and its secrets. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"

import * as Configuration from "../../src/config/Configuration.ts"
import { Variables } from "../../src/config/EnvironmentVariables.ts"
import * as LoadConfig from "../../src/config/LoadConfig.ts"
import * as SettingsView from "../../src/config/SettingsView.ts"

const OIDC = `
    issuer: https://id.example/realms/ops
    clientId: plumbline
    redirectUrl: https://ops.example/admin/sign-in/callback
    groups:
      platform: { role: owner }
      team-a: { role: operator, projects: [p1, p2] }
`

const read = (text: string, variables: Readonly<Record<string, string>> = {}) =>
  Configuration.read({ text, file: "/etc/plumbline.yaml", variables })

const mistakes = (text: string): ReadonlyArray<string> => {
  const config = read(text)
  return Result.isSuccess(config) ? [] : config.failure.mistakes.map(({ path, problem }) => `${path} ${problem}`)
}

describe("admin.oidc", () => {
  it("has defaults, and takes its secret from the environment", () => {
    const { admin } = Result.getOrThrow(
      read(`admin:\n  oidc:${OIDC}    clientSecret: \${OIDC_SECRET}\n`, { OIDC_SECRET: "s3cret" })
    ).settings()
    expect(admin.oidc).toMatchObject({
      scopes: ["email"],
      groupsClaim: "groups",
      clockTolerance: 30_000,
      groups: { platform: { role: "owner" }, "team-a": { role: "operator", projects: ["p1", "p2"] } }
    })
    expect(Redacted.value(admin.oidc!.clientSecret!)).toBe("s3cret")
    const named = Result.getOrThrow(read(`admin:\n  oidc:${OIDC}`, { PLUMBLINE_ADMIN__OIDC__CLIENT_SECRET: "other" }))
    expect(Redacted.value(named.settings().admin.oidc!.clientSecret!)).toBe("other")
    expect(JSON.stringify(SettingsView.lines(named.settings()))).not.toContain("other")
    expect(Result.getOrThrow(read("{}")).settings().admin).not.toHaveProperty("oidc")
  })

  it("takes its secret from a file, and says what is wrong with the file", async ({ onTestFinished }) => {
    const folder = await mkdtemp(path.join(tmpdir(), "plumbline-oidc-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = path.join(folder, "plumbline.yaml")
    await writeFile(file, `admin:\n  oidc:${OIDC}    clientSecretFile: secret\n`)
    const load = () =>
      Effect.runPromise(
        LoadConfig.load(file).pipe(
          Effect.provideService(Variables, {}),
          Effect.provide(NodeServices.layer),
          Effect.result
        )
      )
    for (const text of ["two words\n", "", undefined]) {
      if (text !== undefined) await writeFile(path.join(folder, "secret"), text)
      else await rm(path.join(folder, "secret"))
      const failed = await load()
      expect(Result.isFailure(failed) && failed.failure).toMatchObject({
        mistakes: [{ path: "admin.oidc.clientSecretFile", line: 9 }]
      })
    }
    await writeFile(path.join(folder, "secret"), "from-a-file\n")
    const { admin } = Result.getOrThrow(await load()).settings
    expect(Redacted.value(admin.oidc!.clientSecret!)).toBe("from-a-file")
    expect(admin.oidc).not.toHaveProperty("clientSecretFile")
  })

  it.each([
    [
      OIDC.replace("https://id", "http://id"),
      "admin.oidc.issuer must be a URL with https://, or with http:// on this machine, without a query"
    ],
    [
      OIDC.replace("/callback", ""),
      "admin.oidc.redirectUrl must be the URL of the admin API that ends with /admin/sign-in/callback"
    ],
    [OIDC.replace("operator", "admin"), "admin.oidc.groups.team-a.role must be read-only, support, operator or owner"],
    [OIDC.replace("operator", "owner"), "admin.oidc.groups.team-a.projects must be absent: an owner has all projects"],
    [OIDC.replace("[p1, p2]", "[]"), "admin.oidc.groups.team-a.projects must be 1 to 100 ids of projects"],
    [
      `${OIDC}    clientSecret: a\n    clientSecretFile: b\n`,
      "admin.oidc.clientSecretFile cannot be beside a clientSecret"
    ]
  ])("refuses what is not safe or makes no sense: %#", (oidc, mistake) => {
    expect(mistakes(`admin:\n  oidc:${oidc}`)).toEqual([mistake])
  })
})
