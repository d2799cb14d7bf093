/** Tests how the service reads a certificate's files again when they change. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { GatewayError } from "@plumbline/gateway/errors/GatewayError"
import type * as GatewayTls from "@plumbline/gateway/http/Tls"
import { Effect, Logger, Redacted } from "effect"

import * as Certificates from "../../src/service/Certificates.ts"

const files = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "plumbline-certificates-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

describe("the files of a certificate", () => {
  it.effect("are read again when they change, and not when they cannot be used", () =>
    Effect.gen(function* () {
      const folder = yield* files
      const tls = { certificate: path.join(folder, "c"), key: path.join(folder, "k"), minVersion: "TLSv1.3" } as const
      const write = (certificate: string, key: string) =>
        Effect.promise(async () => {
          await writeFile(tls.certificate, certificate)
          await writeFile(tls.key, key)
        })
      yield* write("c1", "k1")
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push([message].flat().join(": ")))
      const renewed: Array<readonly [string, string]> = []
      const renew = ({ certificate, key }: GatewayTls.Tls) =>
        certificate === "bad"
          ? Effect.fail(new GatewayError({ reason: { _tag: "BadOption", option: "tls", problem: "no certificate" } }))
          : Effect.sync(() => void renewed.push([certificate, Redacted.value(key)]))
      const look = yield* Certificates.looks({ renew }, () => tls)
      const looked = Effect.provideService(look, Logger.CurrentLoggers, new Set([logger]))
      yield* looked
      assert.deepStrictEqual([renewed, lines], [[], []])

      yield* write("c2", "k2")
      yield* looked
      yield* looked
      assert.deepStrictEqual(renewed, [["c2", "k2"]])

      yield* write("bad", "k3")
      yield* looked
      yield* looked
      yield* Effect.promise(() => rm(tls.key))
      yield* looked
      yield* looked
      yield* write("c4", "k4")
      yield* looked
      assert.deepStrictEqual(renewed, [
        ["c2", "k2"],
        ["c4", "k4"]
      ])
      assert.deepStrictEqual(
        lines.map((line) => line.replace(folder, "")),
        [
          "the certificate was renewed",
          "the certificate stays as it was: tls: no certificate",
          lines[2]!.replace(folder, ""),
          "the certificate was renewed"
        ]
      )
      assert.match(lines[2]!, /^the certificate stays as it was: .*\/k/u)
      assert.notInclude(lines.join("\n"), "k3")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
