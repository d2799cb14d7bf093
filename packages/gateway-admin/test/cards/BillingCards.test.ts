import { assert, describe, it } from "@effect/vitest"
import * as BillingCards from "@plumbline/gateway-admin/cards/BillingCards"
import type { BillingCardsError } from "@plumbline/gateway-admin/cards/BillingCardsError"
import * as Accounts from "@plumbline/gateway/accounts/Accounts"
import type { StateError } from "@plumbline/gateway/state/StateError"
import * as Databases from "@plumbline/gateway/support/databases"
import * as Random from "@plumbline/seeded/Random"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import * as Stripe from "../support/stripe.ts"

/** November 10, 2026, in seconds since 1970 UTC. */
const NOW = 1_794_268_800

/** Makes the services for accounts and cards over this database again, as another process would. */
const join = (database: Databases.Database) => {
  const cards = BillingCards.layer({ webhookSecret: Redacted.make(Stripe.SECRET) })
  const layer = cards.pipe(Layer.provideMerge(Accounts.layer()), Layer.provideMerge(database.layer))
  return Effect.map(Layer.build(Layer.fresh(layer)), (context) => ({
    accounts: Context.get(context, Accounts.Accounts),
    cards: Context.get(context, BillingCards.BillingCards),
    sql: Context.get(context, SqlClient.SqlClient)
  }))
}

type Cards = BillingCards.BillingCards["Service"]

/** Sends an event as the provider does. The signature has the current time, even if the event is old. */
const send = (
  cards: Cards,
  event: unknown
): Effect.Effect<BillingCards.BillingEventOutcome, BillingCardsError | StateError> =>
  Effect.gen(function* () {
    const payload = Stripe.bytesOf(event)
    const seconds = Math.floor((yield* Effect.clockWith((clock) => clock.currentTimeMillis)) / 1000)
    return yield* cards.receive(payload, yield* Effect.promise(() => Stripe.sign(payload, seconds)))
  })

const tagOf = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), (error) =>
    "reason" in error ? (error.reason as { readonly _tag: string })._tag : error._tag
  )

const problemOf = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), (error) => (error as { readonly problem?: string }).problem)

for (const { fresh, name, skipped } of Databases.kinds) {
  describe.skipIf(skipped)(`billing cards over ${name}`, () => {
    it.effect("an operator says whether an account has a card, in either of two ways", () =>
      Effect.gen(function* () {
        const { accounts, cards } = yield* join(yield* fresh)
        const { id } = yield* accounts.createAccount({ name: "Ada" })
        assert.deepStrictEqual(yield* cards.status(id), { _tag: "None" })
        yield* cards.setManual(id, true)
        assert.deepStrictEqual(yield* cards.status(id), { _tag: "Manual" })
        assert.isTrue((yield* accounts.account(id))!.card)
        assert.isFalse((yield* accounts.updateAccount(id, { card: false })).card)
        assert.deepStrictEqual(yield* cards.status(id), { _tag: "None" })
        const other = yield* accounts.createAccount({ name: "Bob", card: true })
        assert.deepStrictEqual(yield* cards.status(other.id), { _tag: "Manual" })
        for (const nobody of ["x", "\0", ""]) {
          assert.strictEqual(yield* tagOf(cards.status(nobody)), "Absent")
          assert.strictEqual(yield* tagOf(cards.setManual(nobody, true)), "Absent")
          assert.strictEqual(yield* tagOf(cards.link(nobody, "cus_1")), "Absent")
        }
      }).pipe(Effect.scoped)
    )

    it.effect("a card of the provider is seen by those who hold keys, in every process within a second", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW * 1000)
        const database = yield* fresh
        const [here, there] = [yield* join(database), yield* join(database)]
        const { id } = yield* here.accounts.createAccount({ name: "Ada" })
        const { issued } = yield* here.accounts.createProject({ account: id, name: "wallet" })
        const hasCard = Effect.suspend(() => there.accounts.lookup(Redacted.value(issued.apiKey))).pipe(
          Effect.map((holder) => holder!.account.card)
        )
        const stripe = new Stripe.Stripe(1, NOW)
        yield* here.cards.link(id, "cus_ada")
        assert.isFalse(yield* hasCard)
        const token = stripe.attach("cus_ada", Stripe.VISA)
        assert.strictEqual(yield* send(here.cards, stripe.events[0]), "Changed")
        yield* TestClock.adjust("1 second")
        assert.isTrue(yield* hasCard)
        assert.isTrue((yield* there.accounts.account(id))!.card)
        assert.deepStrictEqual(yield* there.accounts.accounts(), [{ id, name: "Ada", card: true }])
        assert.deepStrictEqual(yield* there.cards.status(id), Stripe.statusOf(token, Stripe.VISA))

        // The operator's statement `card: false` does not remove the provider's card.
        assert.isTrue((yield* there.accounts.updateAccount(id, { card: false, name: "Ada L." })).card)
        stripe.detach(token)
        assert.strictEqual(yield* send(here.cards, stripe.events[1]), "Changed")
        yield* TestClock.adjust("1 second")
        assert.isFalse(yield* hasCard)
        yield* there.cards.setManual(id, true)
        stripe.attach("cus_ada", Stripe.VISA)
        stripe.delete("cus_ada")
        yield* send(here.cards, stripe.events[2])
        assert.strictEqual((yield* here.cards.status(id))._tag, "Card")
        yield* send(here.cards, stripe.events[3])
        assert.deepStrictEqual(yield* here.cards.status(id), { _tag: "Manual" })
        yield* TestClock.adjust("1 second")
        assert.isTrue(yield* hasCard)
      }).pipe(Effect.scoped)
    )

    it.effect("a card that has expired is none, to the millisecond, also for a holder that is remembered", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2026-12-01T11:59:57Z"))
        const { accounts, cards } = yield* join(yield* fresh)
        const { id } = yield* accounts.createAccount({ name: "Ada" })
        const { issued } = yield* accounts.createProject({ account: id, name: "wallet" })
        const state = Effect.gen(function* () {
          const holder = yield* accounts.lookup(Redacted.value(issued.apiKey))
          const [listed] = yield* accounts.accounts()
          const status = yield* cards.status(id)
          const flags = [holder!.account.card, (yield* accounts.account(id))!.card, listed!.card]
          return [...flags, status._tag === "Card" ? status.last4 : status._tag]
        })
        yield* cards.link(id, "cus_ada")
        const stripe = new Stripe.Stripe(2, NOW)
        const token = stripe.attach("cus_ada", { ...Stripe.VISA, exp_month: 11, exp_year: 2026 })
        yield* send(cards, stripe.events[0])
        yield* TestClock.adjust("2 seconds")
        assert.deepStrictEqual(yield* state, [true, true, true, "4242"])
        yield* TestClock.adjust("999 millis")
        assert.deepStrictEqual(yield* state, [true, true, true, "4242"])
        yield* TestClock.adjust("1 milli")
        assert.deepStrictEqual(yield* state, [false, false, false, "None"])
        // The bank has replaced the card, and the provider has updated its details.
        stripe.now += 1
        stripe.update(token, { ...Stripe.VISA, last4: "0005" }, true)
        assert.strictEqual(yield* send(cards, stripe.events[1]), "Changed")
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* state, [true, true, true, "0005"])
      }).pipe(Effect.scoped)
    )

    it.effect("of several cards the one that was added last is shown, until it expires before another", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW * 1000)
        const database = yield* fresh
        const stripe = new Stripe.Stripe(8, NOW)
        stripe.attach("cus_ada", { ...Stripe.VISA, exp_month: 1, exp_year: 2027, last4: "0001" })
        stripe.now += 1
        stripe.attach("cus_ada", { ...Stripe.VISA, exp_month: 11, exp_year: 2026, last4: "0002" })
        const { id } = yield* Effect.scoped(
          Effect.gen(function* () {
            const { accounts, cards } = yield* join(database)
            const account = yield* accounts.createAccount({ name: "Ada" })
            yield* cards.link(account.id, "cus_ada")
            for (const event of stripe.events) yield* send(cards, event)
            return account
          })
        )
        for (const [time, shown] of [
          ["2026-12-01T11:59:59.999Z", "0002"],
          ["2026-12-01T12:00:00.000Z", "0001"],
          ["2027-02-01T11:59:59.999Z", "0001"],
          ["2027-02-01T12:00:00.000Z", "None"]
        ] as const) {
          yield* TestClock.setTime(Date.parse(time))
          const [status, account] = yield* Effect.scoped(
            Effect.flatMap(join(database), ({ accounts, cards }) =>
              Effect.all([cards.status(id), accounts.account(id)])
            )
          )
          assert.strictEqual(status._tag === "Card" ? status.last4 : status._tag, shown)
          assert.strictEqual(account!.card, shown !== "None")
        }
      }).pipe(Effect.scoped)
    )

    it.effect(
      "events lead to what the provider knows, in whatever order and how often they come, linked before or after",
      () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(NOW * 1000)
          const database = yield* fresh
          const [here, there] = [yield* join(database), yield* join(database)]
          for (let seed = 0; seed < Random.runs(name === "SQLite" ? 12 : 6); seed++) {
            const random = Random.make(seed)
            const stripe = new Stripe.Stripe(seed, NOW - 100_000)
            const customers = [0, 1, 2].map((n) => `cus_${seed}x${n}`)
            const owners = yield* Effect.forEach(customers, (customer) =>
              here.accounts.createAccount({ name: customer })
            )
            const link = (n: number) => here.cards.link(owners[n]!.id, customers[n])
            yield* link(0)
            stripe.live(customers, 20)
            const deliveries = stripe.deliveries()
            const middle = Random.int(random, deliveries.length)
            for (const [at, event] of deliveries.entries()) {
              if (at === middle) yield* link(1)
              yield* send(Random.pick(random, [here.cards, there.cards]), event)
            }
            yield* link(2)
            for (const event of stripe.events) assert.strictEqual(yield* send(here.cards, event), "Unchanged")
            for (const [n, customer] of customers.entries()) {
              const good = stripe
                .cards(customer)
                .filter(({ card }) => Date.UTC(card.exp_year, card.exp_month, 1, 12) > NOW * 1000)
              const status = yield* there.cards.status(owners[n]!.id)
              const [last] = good
              const expected = good
                .filter(({ addedAt }) => addedAt === last?.addedAt)
                .map(({ card, id }) => Stripe.statusOf(id, card))
              assert.deepInclude(expected.length === 0 ? [{ _tag: "None" }] : expected, status, `seed ${seed}`)
              assert.strictEqual((yield* there.accounts.account(owners[n]!.id))!.card, good.length > 0)
            }
          }
        }).pipe(Effect.scoped)
    )

    it.effect("a card that is updated in the second in which it was added is the updated one", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW * 1000)
        const { accounts, cards } = yield* join(yield* fresh)
        const { id } = yield* accounts.createAccount({ name: "Ada" })
        yield* cards.link(id, "cus_ada")
        const stripe = new Stripe.Stripe(9, NOW)
        const tokens = [stripe.attach("cus_ada", Stripe.VISA), stripe.attach("cus_ada", Stripe.VISA)]
        tokens.forEach((token) => stripe.update(token, { ...Stripe.VISA, last4: "0005" }))
        const [first, second, firstUpdate, secondUpdate] = stripe.events as [Stripe.Event, ...Array<Stripe.Event>]
        // The ids of events are not in the order of their times.
        for (const event of [{ ...first, id: "evt_z" }, { ...firstUpdate, id: "evt_a" }, secondUpdate, second]) {
          assert.strictEqual(yield* send(cards, event), "Changed")
        }
        // If two cards were added at the same time, the status always shows the same card.
        const shown = yield* cards.status(id)
        assert.deepStrictEqual(shown, Stripe.statusOf(tokens.toSorted()[0]!, { ...Stripe.VISA, last4: "0005" }))
      }).pipe(Effect.scoped)
    )

    it.effect("of a card that is gone, or whose customer was deleted, nothing is kept but that it is gone", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW * 1000)
        const { cards, sql } = yield* join(yield* fresh)
        const stripe = new Stripe.Stripe(10, NOW)
        stripe.attach("cus_ada", Stripe.VISA)
        const second = stripe.attach("cus_ada", Stripe.VISA)
        stripe.attach("cus_bob", Stripe.VISA)
        stripe.detach(second)
        stripe.delete("cus_ada")
        stripe.attach("cus_ada", Stripe.VISA)
        for (const event of [...stripe.events, ...stripe.events]) yield* send(cards, event)
        const rows = yield* sql<{
          readonly customer: string | null
        }>`SELECT * FROM billing_cards WHERE brand IS NOT NULL`
        assert.deepStrictEqual(
          rows.map(({ customer }) => customer),
          ["cus_bob"]
        )
        assert.strictEqual((yield* sql`SELECT * FROM billing_cards`).length, 4)
        assert.deepStrictEqual(
          yield* sql`SELECT * FROM billing_cards WHERE brand IS NULL AND (detached = 0 OR customer IS NOT NULL)`,
          []
        )
      }).pipe(Effect.scoped)
    )

    it.live("several processes may get events of one card at the same time", () =>
      Effect.gen(function* () {
        const database = yield* fresh
        const processes = [yield* join(database), yield* join(database)]
        const [{ accounts, cards }] = processes as [(typeof processes)[0]]
        const { id } = yield* accounts.createAccount({ name: "Ada" })
        yield* cards.link(id, "cus_ada")
        const stripe = new Stripe.Stripe(3, NOW)
        const token = stripe.attach("cus_ada", { ...Stripe.VISA, exp_year: 2090 })
        for (let year = 2091; year < 2099; year++) {
          stripe.now += 1
          stripe.update(token, { ...Stripe.VISA, exp_year: year })
        }
        yield* Effect.forEach(stripe.deliveries(), (event, at) => send(processes[at % 2]!.cards, event), {
          concurrency: "unbounded",
          discard: true
        })
        assert.deepStrictEqual(yield* cards.status(id), Stripe.statusOf(token, { ...Stripe.VISA, exp_year: 2098 }))
      }).pipe(Effect.scoped)
    )

    it.effect("a customer is one account, which may be linked anew, and is free when the account goes", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW * 1000)
        const { accounts, cards } = yield* join(yield* fresh)
        const [ada, bob] = yield* Effect.forEach(["Ada", "Bob"], (owner) => accounts.createAccount({ name: owner }))
        const stripe = new Stripe.Stripe(4, NOW)
        stripe.attach("cus_1", Stripe.VISA)
        yield* send(cards, stripe.events[0])
        const has = Effect.map(Effect.all([cards.status(ada!.id), cards.status(bob!.id)]), (all) =>
          all.map(({ _tag }) => _tag)
        )
        yield* cards.link(ada!.id, "cus_1")
        yield* cards.link(ada!.id, "cus_1")
        assert.deepStrictEqual(yield* has, ["Card", "None"])
        const taken = yield* Effect.flip(cards.link(bob!.id, "cus_1"))
        assert.strictEqual(taken.message, "customer cus_1 belongs to another account")
        assert.deepStrictEqual(yield* has, ["Card", "None"])
        yield* cards.link(ada!.id, "cus_2")
        assert.isFalse((yield* accounts.account(ada!.id))!.card)
        yield* cards.link(bob!.id, "cus_1")
        assert.deepStrictEqual(yield* has, ["None", "Card"])
        yield* cards.link(bob!.id, undefined)
        assert.deepStrictEqual(yield* has, ["None", "None"])
        yield* cards.link(bob!.id, "cus_1")
        yield* accounts.removeAccount(bob!.id)
        yield* cards.link(ada!.id, "cus_1")
        assert.strictEqual((yield* cards.status(ada!.id))._tag, "Card")
        for (const wrong of ["", "cus 1", "cus_\0", "4242-4242-4242-4242", "x".repeat(256)]) {
          assert.strictEqual(yield* tagOf(cards.link(ada!.id, wrong)), "SettingError")
        }
      }).pipe(Effect.scoped)
    )

    it.effect("the number of a card is refused wherever it would be stored, and is nowhere", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW * 1000)
        const { cards, sql } = yield* join(yield* fresh)
        const stripe = new Stripe.Stripe(5, NOW)
        stripe.attach("cus_ada", Stripe.VISA)
        const text = JSON.stringify(stripe.events[0])
        const number = "4242424242424242"
        const places: ReadonlyArray<readonly [string, string]> = [
          [`"id":"evt_`, `"id":"evt_${number}`],
          [`"id":"pm_`, `"id":"pm_${number}_`],
          [`"customer":"cus_ada"`, `"customer":"4242_4242-4242_4242"`],
          [`"brand":"visa"`, `"brand":"visa ${number}"`]
        ]
        for (const [from, to] of places) {
          assert.include(text, from)
          assert.strictEqual(yield* problemOf(send(cards, JSON.parse(text.replace(from, to)))), "CardNumber")
        }
        assert.strictEqual(
          yield* problemOf(send(cards, JSON.parse(text.replace(`"last4":"4242"`, `"last4":"${number}"`)))),
          "NotUnderstood"
        )
        // Parts of an event that are not read may contain anything.
        const elsewhere = text
          .replace(`"name":"Ada"`, `"name":"${number}"`)
          .replace(`"metadata":{}`, `"metadata":{"n":"${number}"}`)
        assert.strictEqual(yield* send(cards, JSON.parse(elsewhere)), "Changed")
        const stored = JSON.stringify([
          yield* sql`SELECT * FROM billing_cards`,
          yield* sql`SELECT * FROM billing_customers`
        ])
        assert.include(stored, `"last4":"4242"`)
        for (const secret of [number, "ada@example.com", "mZYFpjUEKlJw203v", "W1"]) assert.notInclude(stored, secret)
      }).pipe(Effect.scoped)
    )

    it.effect("what is signed but tells nothing of cards is passed over, and what has the wrong form is refused", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW * 1000)
        const { cards, sql } = yield* join(yield* fresh)
        const stripe = new Stripe.Stripe(6, NOW)
        const token = stripe.attach("cus_ada", Stripe.VISA)
        stripe.setUp(token)
        const [attached, setUp] = stripe.events as [Stripe.Event, Stripe.Event]
        const object = attached.data.object as Record<string, unknown>
        const change = (event: Stripe.Event, members: object) => ({
          ...event,
          data: { object: { ...(event.data.object as object), ...members } }
        })
        for (const other of [
          { ...attached, type: "invoice.paid" },
          { ...attached, type: "payment_method.constructor" },
          { ...attached, type: "__proto__" },
          // Events of version 2 of the provider's API have the id of their object, and no data.
          {
            id: "evt_65",
            object: "v2.core.event",
            type: "v1.billing.meter.error",
            created: "2026-11-21T20:45:00.000Z"
          },
          change(attached, { type: "sepa_debit", card: undefined }),
          change(setUp, { payment_method: null }),
          change(setUp, { customer: null })
        ]) {
          assert.strictEqual(yield* send(cards, other), "Ignored")
        }
        const card = object["card"] as object
        for (const wrong of [
          null,
          [],
          "text",
          { ...attached, type: undefined },
          { ...attached, id: undefined },
          { ...attached, created: "1794268800" },
          { ...attached, created: -1 },
          { ...attached, created: 1.5 },
          { ...attached, data: null },
          { ...attached, data: { object: null } },
          { ...attached, type: "customer.deleted", data: { object: {} } },
          change(attached, { id: "pm 1" }),
          change(attached, { id: 7 }),
          change(attached, { customer: 7 }),
          change(attached, { card: undefined }),
          ...[0, 13, 1.5, "8"].map((exp_month) => change(attached, { card: { ...card, exp_month } })),
          ...[31, 10_000, null].map((exp_year) => change(attached, { card: { ...card, exp_year } })),
          ...["", "424", "42424", "٤٢٤٢", "42a2"].map((last4) => change(attached, { card: { ...card, last4 } })),
          ...["", "vi\0sa", "x".repeat(65)].map((brand) => change(attached, { card: { ...card, brand } }))
        ]) {
          assert.strictEqual(yield* problemOf(send(cards, wrong)), "NotUnderstood", JSON.stringify(wrong))
        }
        assert.deepStrictEqual(yield* sql`SELECT * FROM billing_cards`, [])
        // A reference may be the whole object instead of its id.
        assert.strictEqual(
          yield* send(cards, change(attached, { customer: { id: "cus_ada", object: "customer" } })),
          "Changed"
        )
        assert.strictEqual(yield* send(cards, attached), "Unchanged")
      }).pipe(Effect.scoped)
    )

    it.effect("without a secret, or with another one, no event is taken", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW * 1000)
        const { layer } = yield* fresh
        const stripe = new Stripe.Stripe(7, NOW)
        stripe.attach("cus_ada", Stripe.VISA)
        const layers = [BillingCards.layer(), BillingCards.layer({ webhookSecret: Redacted.make("whsec_other") })]
        for (const other of layers) {
          const context = yield* Layer.build(
            Layer.fresh(other.pipe(Layer.provideMerge(Accounts.layer()), Layer.provideMerge(layer)))
          )
          const cards = Context.get(context, BillingCards.BillingCards)
          assert.strictEqual(yield* problemOf(send(cards, stripe.events[0])), "NotSigned")
        }
      }).pipe(Effect.scoped)
    )
  })
}
