import { assert, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { Effect } from "effect"

import * as CardNumber from "../../src/cards/cardNumber.ts"
import * as StripeSignature from "../../src/cards/stripeSignature.ts"
import * as Stripe from "../support/stripe.ts"

const NOW = 1_700_000_000

const isSigned = (payload: Uint8Array, header: string, now = NOW * 1000, secret = Stripe.SECRET) =>
  StripeSignature.isSigned({ payload, header, secret, now })

const payload = Stripe.bytesOf({
  id: "evt_1",
  object: "event",
  type: "invoice.paid",
  data: { object: { note: "é😀" } }
})

it("a signature made by another program is right", () => {
  // printf '1700000000.{"id":"evt_1","object":"event"}' | openssl dgst -sha256 -hmac whsec_plumb
  const header = `t=1700000000,v1=1a672c51e244f0364150aa6b6c9fbb84f326089fd957bf20decc8be52aa226bd`
  const bytes = new TextEncoder().encode(`{"id":"evt_1","object":"event"}`)
  assert.isTrue(isSigned(bytes, header, NOW * 1000, "whsec_plumb"))
  assert.isFalse(isSigned(bytes, header, NOW * 1000, "whsec_plumB"))
})

it.effect("no byte of the event, the time or the signature may be another one", () =>
  Effect.gen(function* () {
    const mac = yield* Effect.promise(() => Stripe.signature(payload, NOW))
    const header = `t=${NOW},v1=${mac}`
    assert.isTrue(isSigned(payload, header))
    const random = Random.make(1)
    for (const at of payload.keys()) {
      const other = payload.slice()
      other[at]! ^= 1 + Random.int(random, 255)
      assert.isFalse(isSigned(other, header), `byte ${at} of the event`)
      assert.isFalse(isSigned(payload.slice(0, at), header))
    }
    assert.isFalse(isSigned(Uint8Array.of(...payload, 0x20), header))
    for (let at = 0; at < header.length; at++) {
      for (const letter of ["0", "1", "f", "=", ",", " ", "x"]) {
        const other = header.slice(0, at) + letter + header.slice(at + 1)
        if (other !== header) assert.isFalse(isSigned(payload, other), other)
      }
      assert.isFalse(isSigned(payload, header.slice(0, at)), header.slice(0, at))
    }
  })
)

it.effect("an event is taken within five minutes of its signature, before or after, and not longer", () =>
  Effect.gen(function* () {
    const header = yield* Effect.promise(() => Stripe.sign(payload, NOW))
    for (const [seconds, taken] of [
      [0, true],
      [300, true],
      [300.999, true],
      [301, false],
      [86_400, false],
      [-300, true],
      [-300.001, false],
      [-86_400, false]
    ] as const) {
      assert.strictEqual(isSigned(payload, header, (NOW + seconds) * 1000), taken, String(seconds))
    }
  })
)

it.effect("one right signature of several is enough, and only v1 counts", () =>
  Effect.gen(function* () {
    const right = yield* Effect.promise(() => Stripe.signature(payload, NOW))
    const other = yield* Effect.promise(() => Stripe.signature(payload, NOW, "whsec_next"))
    const wrong = "0".repeat(64)
    for (const good of [
      `t=${NOW},v1=${right},v1=${other}`,
      `t=${NOW},v1=${other},v1=${right}`,
      `v0=${wrong},v1=${right},t=${NOW}`,
      `t=${NOW}, v1=${right}`,
      `t=${NOW},v1=${right},v2=whatever`,
      `t=${NOW},v1=short,v1=${right}`
    ]) {
      assert.isTrue(isSigned(payload, good), good)
    }
    for (const bad of [
      "",
      ",",
      "=",
      `t=${NOW}`,
      `v1=${right}`,
      `t=${NOW},v0=${right}`,
      `t=${NOW},v1=${other}`,
      `t=${NOW},v1=${right.toUpperCase()}`,
      `t=${NOW},v1=${right.slice(1)}`,
      `t=${NOW},v1=${right}00`,
      `t=${NOW},t=${NOW},v1=${right}`,
      `t=0${NOW},v1=${right}`,
      `t=${NOW}.0,v1=${right}`,
      `t=+${NOW},v1=${right}`,
      `t=,v1=${right}`,
      `t=NaN,v1=${right}`,
      `T=${NOW},V1=${right}`,
      `t=${NOW},${`v1=${wrong},`.repeat(16)}v1=${right}`
    ]) {
      assert.isFalse(isSigned(payload, bad), bad)
    }
  })
)

it("a header of any form is refused, and at once", () => {
  const random = Random.make(2)
  const parts = ["t", "v1", "=", ",", " ", "1700000000", "0".repeat(64), "é", "\t"]
  for (let run = 0; run < Random.runs(2000); run++) {
    const header = Array.from({ length: Random.int(random, 12) }, () => Random.pick(random, parts)).join("")
    assert.isFalse(isSigned(payload, header), header)
  }
  const start = performance.now()
  for (const part of ["t= ", "v1=", ",", " ", "=", "t=1,"]) isSigned(payload, part.repeat(16_384 / part.length))
  assert.isBelow(performance.now() - start, 1000)
})

it("numbers of cards are seen, also with something between their digits", () => {
  // The numbers are those of docs.stripe.com/testing, and three more numbers with 13, 12 and 19 digits.
  for (const number of [
    "4242424242424242",
    "5555555555554444",
    "378282246310005",
    "6011111111111117",
    "3056930009020004",
    "36227206271667",
    "3566002020360505",
    "4222222222222",
    "676770000005",
    "6205500000000000004"
  ]) {
    const spaced = number.replace(/(?<=^(?:.{4})+)/gu, " ")
    for (const text of [number, `pm_${number}`, `a${number}b`, spaced, spaced.replaceAll(" ", "-"), `1${number}2`]) {
      assert.isTrue(CardNumber.isIn(text), text)
    }
  }
  for (const text of [
    "",
    "4242",
    "visa",
    "pm_1F8uMTHa6wE0PhFmIrAlCMuB",
    "42424242424",
    "424242424241",
    "4242a4242b4242c4242"
  ]) {
    assert.isFalse(CardNumber.isIn(text), text)
  }
})
