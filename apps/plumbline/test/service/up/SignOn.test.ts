/** The sign-on of operators in `plumbline up`: the page is told of it, and a provider that is away is no obstacle. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { describe, expect, it } from "vitest"

import * as Upped from "../../support/Upped.ts"

describe("the sign-on of a service", () => {
  it("is offered to the console, and leads to the provider with the file's settings", async ({ onTestFinished }) => {
    let issuer = ""
    let isAway = true
    const provider = createServer((request, response) => {
      if (isAway || request.url !== "/.well-known/openid-configuration") return void response.writeHead(503).end()
      response.writeHead(200, { "content-type": "application/json" }).end(
        JSON.stringify({
          issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"]
        })
      )
    }).listen(0, "127.0.0.1")
    onTestFinished(() => void provider.close())
    await new Promise((resolve) => provider.once("listening", resolve))
    issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
    const folder = await mkdtemp(path.join(tmpdir(), "plumbline-sign-on-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = path.join(folder, "plumbline.yaml")
    await writeFile(path.join(folder, "secret"), "a-secret-of-the-client\n")
    await writeFile(
      file,
      `networks: { history: { upstreams: [{ embedded: history }] } }
ipfs: { node: none }
admin:
  oidc:
    issuer: ${issuer}
    clientId: plumbline
    clientSecretFile: secret
    redirectUrl: https://ops.example/admin/sign-in/callback
    scopes: [email, groups]
    groups: { ops: { role: support } }
`
    )
    const service = await Upped.start(path.join(folder, "data"), ["--config", file])
    onTestFinished(async () => void (await service.stop()))
    const { url } = service.announcement
    const start = (await (await fetch(`${url}/console/api/start`)).json()) as { readonly signOn: boolean }
    expect(start.signOn).toBe(true)
    const signIn = () => fetch(`${url}/admin/sign-in?to=/console/projects`, { redirect: "manual" })
    expect((await signIn()).status).toBe(502)
    isAway = false
    const begun = await signIn()
    expect(begun.status).toBe(303)
    const at = new URL(begun.headers.get("location")!)
    expect(`${at.origin}${at.pathname}`).toBe(`${issuer}/auth`)
    expect(Object.fromEntries(at.searchParams)).toMatchObject({
      client_id: "plumbline",
      redirect_uri: "https://ops.example/admin/sign-in/callback",
      scope: "openid email groups",
      response_type: "code",
      code_challenge_method: "S256"
    })
    expect(at.href).not.toContain("a-secret-of-the-client")
  })
})
