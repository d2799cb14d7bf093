/** Tests the screens of alerts and webhooks in Chromium, from setting a threshold to receiving its event. */
import { freePort } from "@plumbline/gateway/support/ports"
import { describe, expect, test } from "vitest"

import * as Operator from "./support/Operator.ts"
import { sideways, violations } from "./support/Pages.ts"
import * as Service from "./support/Service.ts"

if (Service.skipped) console.warn("no Chromium: the tests of alerts in a browser are skipped")

describe.skipIf(Service.skipped)("alerts and webhooks", { concurrent: false }, () => {
  const operator = Operator.forTests()

  test("are two first steps while there are none of them", async () => {
    const { close, page, wrong } = await operator.pageAt("/console/alerts")
    await page.waitForSelector("h1:has-text('Be told before a limit refuses calls')")
    expect(await violations(page)).toBe("")
    await page.click(".seg a:text-is('Webhooks')")
    await page.waitForSelector("h1:has-text('Send alerts to your own systems')")
    expect(await violations(page)).toBe("")
    expect(await page.textContent("nav a[aria-current]")).toBe("Alerts")
    expect(wrong).toEqual([])
    await close()
  })

  test("go from a threshold to a receiver that checks the signature, with the keyboard alone", async () => {
    const { apiKey, project } = await operator.make({ name: "shop", limits: { creditsPerDay: 400 } })
    const port = await freePort()
    const { close, page, requests, wrong } = await operator.pageAt("/console/webhooks")
    await page.waitForSelector("h1:has-text('Send alerts')")
    await page.focus("text=Make a webhook")
    await page.keyboard.press("Enter")
    await page.waitForSelector("[role=dialog] [name=name]")
    expect(await violations(page)).toBe("")
    await page.focus("[name=name]")
    await page.keyboard.type("pager")
    await page.keyboard.press("Tab")
    await page.keyboard.type(`http://127.0.0.1:${port}/hook?key=0123456789abcdef`)
    await page.keyboard.press("Enter")

    await page.waitForSelector(".once")
    expect(page.url()).toContain("/console/webhooks/pager")
    expect(await violations(page)).toBe("")
    await page.click("text=Show the secret")
    const secret = (await page.textContent(".once code")) ?? ""
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/u)
    const program = await Operator.programOf(page, "Node")
    expect(program).toContain(secret)

    // no receiver listens yet; the page shows the reason, which contains only the host of the address
    await page.click("text=Send a test")
    await page.waitForSelector(".try:has-text('it cannot be reached (ECONNREFUSED)')")
    const receiver = operator.serve(program, port)
    await expect
      .poll(
        () =>
          fetch(`http://127.0.0.1:${port}/`, { method: "POST" }).then(
            ({ status }) => status,
            () => 0
          ),
        {
          timeout: 60_000
        }
      )
      // the receiver refuses a request without a signature
      .toBe(401)
    await page.click("text=Send a test")
    await page.waitForSelector(".try:has-text('taken with 204')")
    await expect.poll(receiver.said).toContain("webhook.test")
    expect(await page.evaluate("document.documentElement.outerHTML")).not.toContain("0123456789abcdef")

    page.once("dialog", (dialog) => dialog.accept())
    await page.click(".seg, .way-back a")
    await page.waitForSelector(".webhook:has-text('pager')")
    expect(await page.evaluate("document.documentElement.outerHTML")).not.toContain(secret)
    await page.click(".seg a:text-is('Thresholds')")
    await page.waitForSelector("h1:has-text('Be told before')")
    await page.focus("text=Watch a project")
    await page.keyboard.press("Enter")
    await page.waitForSelector("[role=dialog] [name=project]")
    expect(await violations(page)).toBe("")
    await page.selectOption("[name=project]", project.id)
    await page.fill("[name=percentOfDay]", "20, many")
    await page.keyboard.press("Enter")
    await page.waitForSelector("[role=dialog] .problem:has-text('many is not a percentage')")
    await page.fill("[name=percentOfDay]", "")
    await page.keyboard.press("Enter")
    await page.waitForSelector("[role=dialog] .problem:has-text('Name one threshold at least')")
    await page.fill("[name=percentOfDay]", "20%")
    await page.fill("[name=creditsOfDay]", "1000000")
    await page.keyboard.press("Enter")
    await page.waitForSelector("tr:has-text('shop'):has-text('20 %'):has-text('1,000,000')")
    expect(await page.textContent("tr:has-text('shop')")).toContain("not yet")
    expect(await operator.admin(`/projects/${project.id}/alerts`)).toEqual({ percentOfDay: [20], creditsOfDay: [1e6] })

    // 80 of 400 credits are 20 %; the service checks usage every ten seconds, and the page reads again by itself
    expect((await operator.call(apiKey)).status).toBe(200)
    await page.waitForSelector("tr:has-text('shop') >> text=/UTC: 20 % of the limit/", { timeout: 90_000 })
    await expect.poll(receiver.said).toContain(`"usage.threshold:`.slice(1))
    await page.goto(`${operator.service.url}/console/webhooks/pager`)
    await page.waitForSelector(".try:has-text('event 1'):has-text('taken with 204')")
    expect(await page.locator(".once").count()).toBe(0)
    expect(await Operator.programOf(page, "Node")).toContain("YOUR_SECRET")
    await page.focus("[aria-label='Send event 1 again']")
    await page.keyboard.press("Enter")
    await page.waitForSelector(".try:has-text('event 1') >> nth=1")
    await expect.poll(() => receiver.said().split("evt_1").length - 1).toBe(2)

    // the page of the project shows the same thresholds and alerts
    await page.goto(`${operator.service.url}/console/projects/${project.id}`)
    await page.waitForSelector(".thresholds li:has-text('20 % of the limit'):has-text('last told')")
    await page.waitForSelector(".thresholds li:has-text('1,000,000 credits'):has-text('not told yet')")
    await page.click("section:has(#alerts-title) >> text=End…")
    expect(await page.textContent("[role=dialog]")).toContain("Its limits stay")
    await page.click("[role=dialog] button[type=submit]")
    await page.waitForSelector("text=No threshold is watched: nothing is told before a limit refuses calls.")

    await page.goto(`${operator.service.url}/console/webhooks/pager`)
    await page.click("text=End…")
    await page.waitForSelector("[role=dialog]")
    expect(await violations(page)).toBe("")
    await page.click("[role=dialog] button[type=submit]")
    await page.waitForSelector("h1:has-text('Send alerts to your own systems')")
    expect(await operator.admin("/webhooks")).toEqual({ webhooks: [] })
    await receiver.stop()
    expect(wrong).toEqual([])
    // the address was sent only once, to be stored
    expect(requests.filter((text) => text.includes("0123456789abcdef"))).toHaveLength(1)
    await close()
  })

  test("say what is wrong with a webhook, and keep what was typed", async () => {
    const { close, page } = await operator.pageAt("/console/webhooks")
    await page.click("text=Make a webhook")
    await page.fill("[name=name]", "a b")
    await page.fill("[name=url]", "http://127.0.0.1:9/")
    await page.click("[role=dialog] button[type=submit]")
    await page.waitForSelector("[role=dialog] .problem:has-text('A name has only letters')")
    await page.fill("[name=name]", "odd")
    await page.fill("[name=url]", "ftp://hooks.example/")
    await page.click("[role=dialog] button[type=submit]")
    await page.waitForSelector("[role=dialog] .problem:has-text('Must be an http or https URL.')")
    expect(await page.inputValue("[name=name]")).toBe("odd")
    await page.fill("[name=url]", "http://127.0.0.1:9/")
    for (const type of ["usage.threshold", "usage.day", "node.lie"]) await page.uncheck(`[name="${type}"]`)
    await page.click("[role=dialog] button[type=submit]")
    await page.waitForSelector("[role=dialog] .problem:has-text('Must name at least one type of events.')")
    await page.check('[name="usage.day"]')
    await page.click("[role=dialog] button[type=submit]")
    await page.waitForSelector(".once")
    expect(await page.textContent("dl.facts")).toMatch(/Host127\.0\.0\.1:9Eventsdays/u)
    // a second webhook with this name is refused
    await page.goto(`${operator.service.url}/console/webhooks`)
    await page.click("text=Make a webhook")
    await page.fill("[name=name]", "odd")
    await page.fill("[name=url]", "http://127.0.0.1:9/")
    await page.click("[role=dialog] button[type=submit]")
    await page.waitForSelector("[role=dialog] .problem:has-text('There is already a webhook odd')")
    await page.goto(`${operator.service.url}/console/webhooks/gone`)
    await page.waitForSelector("h1:has-text('There is no webhook gone')")
    await close()
  })

  test("are the operator's, and a project sees its own thresholds", async () => {
    const { apiKey, apiKeySecret, project } = await operator.make({ name: "reader", limits: {} })
    await operator.admin(`/projects/${project.id}/alerts`, { percentOfDay: [75], creditsOfDay: [] }, "PUT")
    const { close, page } = await operator.pageAt("/console/projects", { isOut: true })
    await page.click(".seg button:has-text('Project')")
    await page.fill("[name=apiKey]", apiKey)
    await page.fill("[name=apiKeySecret]", apiKeySecret)
    await page.click("form button[type=submit]")
    await page.waitForSelector(
      ".thresholds li:has-text('75 % of the limit'):has-text('never: there is no limit per day')"
    )
    expect(await page.locator("section:has(#alerts-title) button").count()).toBe(0)
    await page.goto(`${operator.service.url}/console/alerts`)
    await page.waitForSelector("h1:has-text('The alerts of all projects are the operator')")
    await page.goto(`${operator.service.url}/console/webhooks`)
    await page.waitForSelector("h1:has-text('A webhook gets the events of all projects')")
    expect(await violations(page)).toBe("")
    await close()
  })

  test.each(["light", "dark"] as const)("fit a phone and have no flaw that axe finds: %s", async (colorScheme) => {
    const { project } = await operator.make({ name: `a project with a name that is longer than most, ${colorScheme}` })
    const rules = { percentOfDay: [50, 75, 85, 100], creditsOfDay: [1000, 1_000_000] }
    await operator.admin(`/projects/${project.id}/alerts`, rules, "PUT")
    const name = `receiver-${colorScheme}-with-a-name-of-sixty-four-characters-in-all`
    await operator.admin("/webhooks", { name, url: "http://127.0.0.1:9/" })
    await operator.admin(`/webhooks/${name}/tries`, {})
    const phone = {
      colorScheme,
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      reducedMotion: "reduce"
    } as const
    for (const [target, ready] of [
      ["/console/alerts", "tr:has-text('longer than most')"],
      ["/console/webhooks", ".webhook"],
      [`/console/webhooks/${name}`, ".try"]
    ] as const) {
      const { close, page, wrong } = await operator.pageAt(target, phone)
      await page.waitForSelector(ready)
      expect(await violations(page), target).toBe("")
      expect(await Operator.width(page), target).toBeLessThanOrEqual(390)
      expect(await sideways(page), target).toEqual([])
      expect(wrong).toEqual([])
      await close()
    }
  })
})
