/**
 * A payment provider for tests, made from Stripe's documentation. It has customers and their cards, and makes a signed
 * event for every change. It signs with Web Crypto, so it shares no code with the verifier.
 */
import type { BillingCard } from "@plumbline/gateway-admin"
import * as Random from "@plumbline/seeded/Random"
export const SECRET = "whsec_dGhlIHNlY3JldCBvZiB0aGUgdGVzdHM"

export interface Event {
  readonly id: string
  readonly object: "event"
  readonly created: number
  readonly type: string
  readonly data: { readonly object: unknown; readonly previous_attributes?: unknown }
}

/** Returns the bytes of an event as they are sent. */
export const bytesOf = (event: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(event, null, 2))

/** Returns the signature header of an event that is sent at a time, in seconds since 1970 UTC. */
export const sign = async (payload: Uint8Array, seconds: number, secret = SECRET): Promise<string> =>
  `t=${seconds},v1=${await signature(payload, seconds, secret)},v0=${"0".repeat(64)}`

export const signature = async (payload: Uint8Array, seconds: number, secret = SECRET): Promise<string> => {
  const text = new TextEncoder()
  const key = await crypto.subtle.importKey("raw", text.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign"
  ])
  const signed = Uint8Array.of(...text.encode(`${seconds}.`), ...payload)
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, signed))
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, "0")).join("")
}

export interface Card {
  brand: string
  last4: string
  exp_month: number
  exp_year: number
}

export const VISA: Card = { brand: "visa", last4: "4242", exp_month: 8, exp_year: 2031 }

interface Method {
  readonly id: string
  customer: string | null
  card: Card
  addedAt: number
}

/** The provider. After all its events, the gateway must know the provider's state. */
export class Stripe {
  readonly events: Array<Event> = []
  readonly #methods = new Map<string, Method>()
  readonly #deleted = new Set<string>()
  readonly #random: Random.Random
  now: number

  constructor(seed: number, now: number) {
    this.#random = Random.make(seed)
    this.now = now
  }

  attach(customer: string, card: Card): string {
    const method: Method = { id: this.#id("pm_"), customer, card, addedAt: this.now }
    this.#methods.set(method.id, method)
    this.#tell("payment_method.attached", bodyOf(method))
    return method.id
  }

  setUp(id: string): void {
    const method = this.#methods.get(id)!
    method.addedAt = this.now
    this.#tell("setup_intent.succeeded", {
      id: this.#id("seti_"),
      object: "setup_intent",
      client_secret: this.#id("seti_secret_"),
      customer: method.customer,
      payment_method: id,
      payment_method_types: ["card"],
      status: "succeeded",
      usage: "off_session"
    })
  }

  update(id: string, card: Card, automatically = false): void {
    const method = this.#methods.get(id)!
    const previous = { card: { exp_month: method.card.exp_month, exp_year: method.card.exp_year } }
    method.card = card
    this.#tell(
      automatically ? "payment_method.automatically_updated" : "payment_method.updated",
      bodyOf(method),
      previous
    )
  }

  detach(id: string): void {
    const method = this.#methods.get(id)!
    const previous = { customer: method.customer }
    method.customer = null
    this.#tell("payment_method.detached", bodyOf(method), previous)
  }

  delete(customer: string): void {
    this.#deleted.add(customer)
    for (const method of this.#methods.values()) if (method.customer === customer) method.customer = null
    this.#tell("customer.deleted", { id: customer, object: "customer", email: "ada@example.com", invoice_settings: {} })
  }

  /** Returns the cards that a customer has now, last added first. */
  cards(customer: string): ReadonlyArray<Method> {
    return [...this.#methods.values()]
      .filter((method) => method.customer === customer)
      .toSorted((a, b) => b.addedAt - a.addedAt)
  }

  /** Simulates events of a few customers, some of them in the same second. */
  live(customers: ReadonlyArray<string>, steps: number): void {
    const random = this.#random
    for (let step = 0; step < steps; step++) {
      this.now += Random.int(random, 3)
      const customer = Random.pick(
        random,
        customers.filter((one) => !this.#deleted.has(one))
      )
      const card = (): Card => ({
        brand: Random.pick(random, ["visa", "mastercard", "amex", "unknown"]),
        last4: String(Random.int(random, 10_000)).padStart(4, "0"),
        exp_month: 1 + Random.int(random, 12),
        exp_year: 2020 + Random.int(random, 20)
      })
      const method = this.cards(customer)[0]
      const dice = Random.int(random, 100)
      if (method === undefined || dice < 30) this.attach(customer, card())
      else if (dice < 45) this.setUp(method.id)
      else if (dice < 70) {
        // Only the seconds of their events show the order of two updates of a card, so the clock moves on after each
        // update.
        this.update(method.id, card(), dice < 60)
        this.now += 1
      } else if (dice < 97 || this.#deleted.size + 1 === customers.length) this.detach(method.id)
      else {
        this.delete(customer)
        // The provider sends such events: github.com/mozilla/fxa/issues/11611
        this.update(method.id, card(), true)
        this.now += 1
      }
    }
  }

  /** Returns every event at least once, in random order. Some events are repeated. */
  deliveries(): ReadonlyArray<Event> {
    const sent = this.events.flatMap((event) => Array.from({ length: 1 + Random.int(this.#random, 2) }, () => event))
    for (let end = sent.length - 1; end > 0; end--) {
      const other = Random.int(this.#random, end + 1)
      ;[sent[end], sent[other]] = [sent[other]!, sent[end]!]
    }
    return sent
  }

  #tell(type: string, object: unknown, previous_attributes?: unknown): void {
    const data = previous_attributes === undefined ? { object } : { object, previous_attributes }
    this.events.push({ id: this.#id("evt_"), object: "event", created: this.now, type, data: structuredClone(data) })
  }

  #id(prefix: string): string {
    const letters = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"
    return `${prefix}${Array.from({ length: 24 }, () => letters[Random.int(this.#random, letters.length)]).join("")}`
  }
}

const bodyOf = ({ card, customer, id }: Method) => ({
  id,
  object: "payment_method",
  billing_details: {
    address: { city: null, country: "GB", line1: null, line2: null, postal_code: "W1", state: null },
    email: "ada@example.com",
    name: "Ada",
    phone: null
  },
  card: {
    ...card,
    checks: { address_line1_check: null, address_postal_code_check: "pass", cvc_check: "pass" },
    country: "US",
    fingerprint: "mZYFpjUEKlJw203v",
    funding: "credit",
    generated_from: null,
    networks: { available: [card.brand], preferred: null },
    three_d_secure_usage: { supported: true },
    wallet: null
  },
  created: 1_600_000_000,
  customer,
  livemode: false,
  metadata: {},
  type: "card"
})

/** Returns the expected `status` for a card of the provider. */
export const statusOf = (id: string, { brand, exp_month, exp_year, last4 }: Card): BillingCard.Card => ({
  _tag: "Card",
  provider: "stripe",
  token: id,
  brand,
  last4,
  expiryMonth: exp_month,
  expiryYear: exp_year
})
