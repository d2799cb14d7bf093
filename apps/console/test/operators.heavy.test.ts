/** Tests the screens of operators in Chromium: admin tokens, sessions, the audit log, and how one signs in. */
import { readFileSync } from "node:fs"

import { describe, expect, test } from "vitest"

import * as Operator from "./support/Operator.ts"
import * as Pages from "./support/Pages.ts"
import * as Running from "./support/Running.ts"
import * as Service from "./support/Service.ts"

const { violations } = Pages

if (Service.skipped) console.warn("no Chromium: the tests of operators in a browser are skipped")

describe.skipIf(Service.skipped)("operators", { concurrent: false }, () => {
  const operator = Operator.forTests()

  test("create an admin token for one project, which is shown once, and revoke it", async () => {
    const { project } = await operator.make({ name: "team a" })
    await operator.make({ name: "team b" })
    const { close, page, wrong } = await operator.pageAt("/console/accounts")
    await page.waitForSelector(".operators h1")
    expect(await page.textContent("nav.screens a[aria-current]")).toBe("Accounts")
    expect(await violations(page)).toBe("")
    await page.focus("text=Create an admin token")
    await page.keyboard.press("Enter")
    await page.waitForSelector("[role=dialog] [name=label]")
    expect(await violations(page)).toBe("")
    await page.fill("[name=label]", "ada")
    await page.selectOption("[name=role]", "support")
    await page.selectOption("[name=project]", project.id)
    await page.fill("[name=days]", "30")
    await page.keyboard.press("Enter")
    await page.waitForSelector(".once")
    await page.click("text=Show the secret")
    const token = (await page.textContent(".once code")) ?? ""
    expect(token).toMatch(/^[0-9a-f]{64}$/u)
    const list = async () => {
      const answer = await fetch(`${operator.service.url}/admin/v1/projects`, {
        headers: { authorization: `Bearer ${token}` }
      })
      const { projects = [] } = (await answer.json()) as { readonly projects?: ReadonlyArray<{ readonly id: string }> }
      return [answer.status, projects.map(({ id }) => id)]
    }
    expect(await list()).toEqual([200, [project.id]])
    await page.click("text=I have kept it")
    await page.waitForSelector("tr:has-text('ada'):has-text('support'):has-text('team a')")
    expect(await page.evaluate("document.documentElement.outerHTML")).not.toContain(token)
    expect(await violations(page)).toBe("")
    await page.click("[aria-label='Revoke ada']")
    await page.click("[role=dialog] .primary")
    await page.waitForSelector("tr:has-text('ada')", { state: "detached" })
    expect((await list())[0]).toBe(401)
    expect(wrong).toEqual([])
    await close()
  })

  test("see who is signed in and from where, and end a session", async () => {
    const { close, page } = await operator.pageAt("/console/accounts")
    const other = await operator.pageAt("/console/projects")
    await other.page.waitForSelector("h1")
    const sessions = page.locator("section:has(#open-sessions) tbody tr")
    await page.reload()
    await sessions.first().waitFor()
    expect(await sessions.first().textContent()).toMatch(/^operator127\.0\.0\.1/u)
    await sessions.first().locator("button").click()
    await page.click("[role=dialog] .primary")
    await other.page.reload()
    await other.page.waitForSelector(".signin")
    await other.close()
    await close()
  })

  test("see each change with its author, address and values, and export all", async () => {
    const { project } = await operator.make({ name: "before" })
    await operator.admin(`/projects/${project.id}`, { name: "after" }, "PATCH")
    const { close, page, wrong } = await operator.pageAt("/console/audit")
    const row = "tr:has-text('project.update')"
    await page.waitForSelector(row)
    expect(await page.textContent("nav.screens a[aria-current]")).toBe("Audit")
    expect(await page.locator(row).first().textContent()).toMatch(
      /UTCoperator127\.0\.0\.1project\.update\w{8}\{"name":"before"\}\{"name":"after"\}$/u
    )
    expect(await violations(page)).toBe("")
    await page.fill("[type=search]", "token.create")
    await page.waitForSelector(row, { state: "detached" })
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click("text=Export CSV")])
    expect(saved.suggestedFilename()).toBe("audit.csv")
    const text = readFileSync(await saved.path(), "utf8")
    expect(text).toMatch(/^id,at,by,from,action,target,changed,before,after\r\n/u)
    expect(text).toContain('"{""name"":""before""}","{""name"":""after""}"')
    expect(wrong).toEqual([])
    await close()
  })

  test.each(["/console/accounts", "/console/audit"])("read %s on a phone, without scrolling sideways", async (at) => {
    const { close, page } = await operator.pageAt(at, { viewport: { width: 390, height: 844 } })
    await page.waitForSelector(".page h1")
    expect(await Operator.width(page)).toBeLessThanOrEqual(390)
    expect(await Pages.sideways(page)).toEqual([])
    expect(await violations(page)).toBe("")
    // a card has no line without a value
    await page.waitForSelector(".page tbody tr")
    const values = await page.locator(".page tbody td:visible").allTextContents()
    expect(values.length).toBeGreaterThan(2)
    expect(values).not.toContain("")
    await close()
  })

  test("of some projects see those, and are told in a sentence what concerns all", async () => {
    const { project } = await operator.make({ name: "mine" })
    const { project: other } = await operator.make({ name: "theirs" })
    const { secret } = await operator.admin("/operators/tokens", {
      label: "support of mine",
      role: "support",
      projects: [project.id]
    })
    const { close, page, wrong } = await operator.pageAt("/console/projects", { isOut: true })
    await page.waitForSelector("[name=token]")
    await page.fill("[name=token]", secret)
    await page.keyboard.press("Enter")
    await page.waitForSelector("a.strong:text-is('mine')")
    expect(await page.locator("text=theirs").count()).toBe(0)
    await page.waitForSelector("text=Creating a project needs the role operator. Yours is support.")
    expect(await violations(page)).toBe("")
    // the role permits changes of the project, and not of its account
    await page.click("a.strong:text-is('mine')")
    await page.waitForSelector("h1:text-is('mine')")
    expect(await page.locator("button:text-is('Edit…')").count()).toBeGreaterThan(0)
    expect(await page.locator("#card-title").count()).toBe(0)
    await page.goto(`${operator.service.url}/console/audit`)
    await page.waitForSelector("text=Your role shows those of your projects and their keys.")
    await page.waitForSelector(`code[title='${project.id}']`)
    expect(await page.locator(`code[title='${other.id}']`).count()).toBe(0)
    await page.goto(`${operator.service.url}/console/alerts`)
    await page.click("text=Watch a project")
    await page.waitForSelector("[role=dialog]")
    for (const at of ["/console/webhooks", "/console/overview"]) {
      await page.goto(`${operator.service.url}${at}`)
      await page.waitForSelector("text=This concerns all projects, and your role covers some of them.")
      expect(await violations(page), at).toBe("")
    }
    await page.goto(`${operator.service.url}/console/accounts`)
    await page.waitForSelector("text=This needs the role owner. Yours is support.")
    expect(wrong).toEqual([])
    await close()
  })

  test("of a lower role are told that tokens are the owners'; a project lands on its own page", async () => {
    const { secret } = await operator.admin("/operators/tokens", { label: "reader", role: "read-only" })
    const reader = await operator.pageAt("/console/accounts", { isOut: true })
    await reader.page.waitForSelector("[name=token]")
    await reader.page.fill("[name=token]", secret)
    await reader.page.keyboard.press("Enter")
    await reader.page.waitForSelector('h1:has-text("Admin tokens are the owners\'")')
    expect(await violations(reader.page)).toBe("")
    await reader.page.click(".who summary, .who button")
    await reader.page.waitForSelector("text=Your role is read-only.")
    // a change that the service would refuse is not offered
    await reader.page.goto(`${operator.service.url}/console/projects`)
    await reader.page.waitForSelector("h1:has-text('Projects'), h1:has-text('An operator makes')")
    expect(await reader.page.locator("button:has-text('Create a project')").count()).toBe(0)
    for (const [at, absent] of [
      ["/console/webhooks", "Make a webhook"],
      ["/console/alerts", "Watch a project"]
    ] as const) {
      await reader.page.goto(`${operator.service.url}${at}`)
      await reader.page.waitForSelector("text=Yours is read-only.")
      expect(await reader.page.locator(`text=${absent}`).count(), at).toBe(0)
      expect(await violations(reader.page), at).toBe("")
    }
    await reader.close()
    const { apiKey, apiKeySecret, project } = await operator.make({ name: "visitor" })
    const visitor = await operator.pageAt("/console/overview", { isOut: true })
    await visitor.page.click(".seg button:text-is('Project')")
    await visitor.page.fill("[name=apiKey]", apiKey)
    await visitor.page.fill("[name=apiKeySecret]", apiKeySecret)
    await visitor.page.keyboard.press("Enter")
    await visitor.page.waitForSelector("h1:has-text('visitor')")
    expect(visitor.page.url()).toBe(`${operator.service.url}/console/projects/${project.id}`)
    await visitor.close()
  })
})

describe.skipIf(Service.skipped)("sign-on", () => {
  test("is offered where the service has it, and returns to the page", async ({ onTestFinished }) => {
    const service = await Service.start({
      settings: `networks: { history: { upstreams: [{ embedded: history }] } }
ipfs: { node: none }
admin:
  oidc:
    issuer: http://127.0.0.1:9
    clientId: plumbline
    redirectUrl: http://127.0.0.1:9/admin/sign-in/callback
    groups: { ops: { role: owner } }
`
    })
    const browser = await Running.launch()
    onTestFinished(async () => {
      await browser.close()
      await service.stop()
    })
    const { page } = await Pages.open(browser)
    await page.goto(`${service.url}/console/overview?window=7d`)
    const link = page.locator("text=Sign in with your organisation")
    expect(await link.getAttribute("href")).toBe("/admin/sign-in?to=%2Fconsole%2Foverview%3Fwindow%3D7d")
    expect(await violations(page)).toBe("")
    // this provider is away: the service says so, and leads back
    await link.click()
    await page.waitForSelector("text=the identity provider does not answer")
    await page.click("text=Back to the console")
    await page.waitForSelector(".signin")
  })
})
