/** The chart's processes are started only if everything is known that the chart gives them. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { describe, expect, it } from "@effect/vitest"

import * as Chart from "../src/cluster/chart.ts"

const production = path.resolve(import.meta.dirname, "../../../deploy/helm/production.yaml")

describe.skipIf(Chart.skipped !== undefined)(`the chart's processes (${Chart.skipped ?? "rendered"})`, () => {
  it("have the chart's number, time to end and probe", async () => {
    expect(await Chart.render([production])).toMatchObject({
      replicas: 3,
      terminationGracePeriodSeconds: 30,
      readiness: { path: "/readyz", periodSeconds: 2, timeoutSeconds: 3, failureThreshold: 2 }
    })
  })

  it.each([
    ["an object", { autoscaling: { enabled: true } }, "the chart has HorizontalPodAutoscaler"],
    ["a field of the Pod", { pod: { priorityClassName: "high" } }, "its Pod has priorityClassName"],
    ["a certificate", { tls: { secret: "certificate" } }, "startupProbe asks another port"]
  ])("are not started without %s that the chart gives them", async (_, values, sentence) => {
    await expect(Chart.render([production, values])).rejects.toThrow(sentence)
  })

  it("are not started without a secret", async ({ onTestFinished }) => {
    const folder = await mkdtemp(path.join(tmpdir(), "plumbline-chart-"))
    onTestFinished(() => rm(folder, { recursive: true }))
    const { start } = await Chart.render([production])
    await expect(start(folder, { plumbline: {} })).rejects.toThrow(
      "the chart refers to admin-token of the Secret plumbline, which is not given"
    )
  })
})
