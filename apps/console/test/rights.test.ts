/** The rights of a session, as the page explains them. The server's own test checks that the rules hold. */
import type { Session } from "@plumbline/gateway-admin/api/AdminSession"
import { expect, test } from "vitest"

import { whyNot } from "../src/admin/rights.ts"

const session = (session: Partial<Session>): Session => ({
  kind: "operator",
  label: "ada",
  project: null,
  role: "read-only",
  projects: null,
  grants: [],
  signOutUrl: null,
  csrfToken: "",
  endsAt: 0,
  ...session
})

test("a role that is too low is named beside the one that is needed", () => {
  const reader = session({ grants: [{ role: "read-only", projects: null }] })
  expect(whyNot(reader, "webhooks.list")).toBeUndefined()
  expect(whyNot(reader, "webhooks.create")).toBe("This needs the role operator. Yours is read-only.")
  expect(whyNot(reader, "tokens.set", "a")).toBe("This needs the role support. Yours is read-only.")
  expect(whyNot(reader, "operators.tokens")).toBe("This needs the role owner. Yours is read-only.")
})

test("each grant counts for its own projects, whatever the others permit", () => {
  const mixed = session({
    role: "support",
    grants: [
      { role: "read-only", projects: null },
      { role: "support", projects: ["a"] }
    ]
  })
  expect(whyNot(mixed, "usage.by")).toBeUndefined()
  expect(whyNot(mixed, "alerts.set", "a")).toBeUndefined()
  expect(whyNot(mixed, "keys.revoke", "a")).toBeUndefined()
  expect(whyNot(mixed, "alerts.set", "b")).toBe("Your role does not cover this project.")
  const limited = session({ role: "operator", grants: [{ role: "operator", projects: ["a"] }] })
  expect(whyNot(limited, "projects.remove", "a")).toBeUndefined()
  expect(whyNot(limited, "projects.list")).toBeUndefined()
  expect(whyNot(limited, "service.audit")).toBeUndefined()
  for (const method of ["projects.create", "webhooks.list", "usage.by", "accounts.card"] as const) {
    expect(whyNot(limited, method), method).toBe("This concerns all projects, and your role covers some of them.")
  }
})

test("the key of a project reads its own project, and nothing else", () => {
  const own = session({ kind: "project", label: null, project: "a", role: null, projects: ["a"] })
  expect(whyNot(own, "alerts.get", "a")).toBeUndefined()
  expect(whyNot(own, "session.get")).toBeUndefined()
  const [reason] = [whyNot(own, "alerts.set", "a")]
  expect(reason).toContain("changes nothing")
  for (const method of ["alerts.get", "usage.by", "alerts.list"] as const) {
    expect(whyNot(own, method, method === "alerts.get" ? "b" : undefined), method).toBe(reason)
  }
})
