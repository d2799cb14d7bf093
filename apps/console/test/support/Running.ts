/** Starts a service and a browser before the tests of a file, and stops them after the last. */
import { type Browser, chromium } from "playwright-core"
import { afterAll, beforeAll } from "vitest"

import * as Service from "./Service.ts"

/** Starts Chromium. */
export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: Service.chromium!, args: ["--no-sandbox"] })

/** Starts a thing before the tests, and stops it after them. The answer stands for the thing while the tests run. */
export const held = <A extends object>(start: () => Promise<A>, stop: (running: A) => Promise<unknown>): A => {
  let running: A | undefined
  beforeAll(async () => {
    running = await start()
  }, 240_000)
  afterAll(() => (running === undefined ? undefined : stop(running)))
  return new Proxy<A>({} as A, {
    get: (_, name) => {
      const value: unknown = Reflect.get(running!, name)
      return typeof value === "function" ? value.bind(running) : value
    }
  })
}

/** A service and a browser for the tests of a file. */
export const beside = (
  options: Service.Options = {}
): { readonly service: Service.Service; readonly browser: Browser } => ({
  service: held(
    () => Service.start(options),
    ({ stop }) => stop()
  ),
  browser: held(launch, (browser) => browser.close())
})
