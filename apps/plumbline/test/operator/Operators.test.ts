/** Tests `plumbline operators` against a real service. */
import { describe, expect, it } from "@effect/vitest"

import * as Operated from "../support/Operated.ts"
import * as RunCli from "../support/RunCli.ts"

const service = Operated.operated()

const run = async (token: string, ...args: ReadonlyArray<string>) =>
  RunCli.json([...args, "--url", service().url, "--admin-token", token])

const json = async (...args: ReadonlyArray<string>) => {
  const { answer, exitCode } = await run(service().token, ...args)
  expect([exitCode, answer.error]).toEqual([0, undefined])
  return answer
}

describe("operators", () => {
  it("have admin tokens with a role and projects, which are created, used and revoked", async () => {
    const { project } = await json("projects", "create", "team a")
    const other = (await json("projects", "create", "team b")).project
    const made = await json(
      "operators",
      "create",
      "ada",
      "--role",
      "support",
      "--project",
      "team a",
      "--expires",
      "30d"
    )
    expect(made.token).toMatchObject({ label: "ada", role: "support", projects: [project.id], createdBy: "tests" })
    expect(Math.abs(made.token.expiresAt - Date.now() - 30 * 86_400_000)).toBeLessThan(60_000)
    expect(made.adminToken).toMatch(/^[0-9a-f]{64}$/u)
    // the holder sees and changes the own project, and nothing else
    const { answer: listed } = await run(made.adminToken, "projects", "list")
    expect(listed.projects.map(({ id }: { readonly id: string }) => id)).toEqual([project.id])
    expect((await run(made.adminToken, "projects", "suspend", project.id)).exitCode).toBe(0)
    const refused = await run(made.adminToken, "projects", "suspend", other.id)
    expect([refused.exitCode, refused.answer.error]).toMatchObject([1, { tag: "Forbidden" }])
    expect((await run(made.adminToken, "operators", "list")).answer.error.message).toBe(
      "the role of this caller does not permit this: it needs the role owner"
    )
    // a session shows who has signed in
    const authorization = `Bearer ${made.adminToken}`
    const begun = await fetch(`${service().url}/admin/v1/session`, { method: "POST", headers: { authorization } })
    const [cookie = ""] = begun.headers.getSetCookie()[0]!.split(";")
    const { sessions, tokens } = await json("operators", "list")
    expect(tokens.map(({ label, role }: Record<string, string>) => [label, role])).toEqual([
      ["tests", "owner"],
      ["ada", "support"]
    ])
    expect(sessions).toMatchObject([{ label: "ada", address: "127.0.0.1" }])
    const text = await RunCli.run(["operators", "list", "--url", service().url, "--admin-token", service().token])
    expect(text.stdout).toMatch(/^2 admin tokens, 1 session\n/u)
    expect(text.stdout).not.toContain(made.adminToken)
    const statusOf = async () => (await fetch(`${service().url}/admin/v1/session`, { headers: { cookie } })).status
    expect(await statusOf()).toBe(200)
    expect(await json("operators", "end", sessions[0].id)).toEqual({ ended: sessions[0].id })
    expect(await statusOf()).toBe(401)
    expect(await json("operators", "revoke", made.token.id)).toEqual({ revoked: made.token.id })
    expect((await run(made.adminToken, "projects", "list")).answer.error.tag).toBe("Unauthorized")
  })

  it.each([
    [["--role", "root"], /role/u],
    [["--role", "support", "--expires", "2020-01-01"], /--expires/u],
    [["--role", "owner", "--project", "PROJECT"], /must be absent: an owner has all projects/u]
  ])("are refused with flags that make no sense: %s", async (flags, expected) => {
    const { project } = await json("projects", "create", "one")
    const args = flags.map((flag) => flag.replace("PROJECT", project.id))
    const { answer, exitCode } = await run(service().token, "operators", "create", "bad", ...args)
    expect([exitCode, answer.error.message]).toEqual([1, expect.stringMatching(expected)])
  })
})
