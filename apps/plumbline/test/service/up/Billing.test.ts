/**
 * The payment provider sends events to the service that `up` runs. The service accepts the events if its configuration
 * has the secret that signs them. The events decide which accounts may use a product that requires a card.
 */
import { writeFile } from "node:fs/promises"

import { describe, expect, it } from "@effect/vitest"
import * as Stripe from "@plumbline/gateway-admin/support/stripe"

import * as Children from "../../support/Children.ts"
import * as Upped from "../../support/Upped.ts"

/** Sends an event as the provider does. */
const post = async (url: string, event: unknown, secret: string) => {
  const body = Stripe.bytesOf(event) as Uint8Array<ArrayBuffer>
  const signature = await Stripe.sign(body, Math.floor(Date.now() / 1000), secret)
  const response = await fetch(`${url}/billing/events`, {
    method: "POST",
    headers: { "stripe-signature": signature },
    body
  })
  await response.text()
  return response.status
}

describe("the provider's events", () => {
  it("give and take the card of an account, where they are signed with the configured secret", async () => {
    await using folder = await Children.folder()
    const file = `${folder.path}/plumbline.yaml`
    await writeFile(
      file,
      `networks: { history: { upstreams: [{ embedded: history }] } }
ipfs: { node: none }
policies: { card: { rpc: true } }
billing: { webhookSecret: "\${WEBHOOK_SECRET}" }
`
    )
    const service = await Upped.start(folder.path, ["--config", file], { WEBHOOK_SECRET: Stripe.SECRET })
    const { url } = service.announcement
    const { apiKey, project } = await service.admin("POST", "/projects", { name: "wallet", card: false })
    await service.admin("PUT", `/accounts/${project.account}/card`, { customer: "cus_ada" })
    const call = async () => {
      const response = await fetch(`${url}/v3/${apiKey}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
      })
      await response.text()
      return response.status
    }
    /** Waits for a change, which takes effect within a second. */
    const until = async (status: number) => {
      while ((await call()) !== status) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(await call()).toBe(403)

    const stripe = new Stripe.Stripe(8, Math.floor(Date.now() / 1000))
    const token = stripe.attach("cus_ada", { ...Stripe.VISA, exp_year: 9999 })
    const attached = stripe.events.at(-1)
    expect(await post(url, attached, "whsec_another")).toBe(400)
    expect(await call()).toBe(403)
    expect(await post(url, attached, Stripe.SECRET)).toBe(200)
    await until(200)
    const card = await service.admin("GET", `/accounts/${project.account}/card`)
    expect(JSON.stringify(card)).toContain('"4242"')
    stripe.detach(token)
    expect(await post(url, stripe.events.at(-1), Stripe.SECRET)).toBe(200)
    await until(403)

    const { stderr, stdout } = await service.stop()
    expect(stdout + stderr).not.toContain(Stripe.SECRET)

    // without the secret the path does not exist
    const without = await Upped.start(folder.path)
    expect(await post(without.announcement.url, attached, Stripe.SECRET)).toBe(404)
    await without.stop()
  })
})
