import { describe, expect, it } from "@effect/vitest"
import { Redacted, Result } from "effect"

import * as NodeEndpoint from "../../src/node/NodeEndpoint.ts"

const ofUrl = (url: string, network?: string) => {
  const endpoint = NodeEndpoint.ofUrl(Redacted.make(url), network)
  return Result.isSuccess(endpoint)
    ? { url: Redacted.value(endpoint.success.url), host: endpoint.success.host }
    : endpoint.failure.message
}

describe("a network of any URL", () => {
  it("is a name before the host", () => {
    expect(ofUrl("https://node.example/v3/key", "sepolia")).toEqual({
      url: "https://sepolia.node.example/v3/key",
      host: undefined
    })
    expect(ofUrl("http://node.example:8545", "live")).toEqual({
      url: "http://live.node.example:8545/",
      host: undefined
    })
  })

  it("is a Host header where no name can stand before the host", () => {
    const cases = [
      ["http://127.0.0.1:8645/v3/key", "http://127.0.0.1:8645/v3/key", "live.localhost:8645"],
      ["http://127.0.0.1/v3/key", "http://127.0.0.1/v3/key", "live.localhost"],
      ["http://[::1]:8645/v3/key", "http://[::1]:8645/v3/key", "live.localhost:8645"],
      ["http://localhost:8645/v3/key", "http://localhost:8645/v3/key", "live.localhost:8645"],
      ["http://history.localhost:8645/v3/key", "http://localhost:8645/v3/key", "live.localhost:8645"]
    ] as const
    for (const [given, url, host] of cases) expect(ofUrl(given, "live")).toEqual({ url, host })
  })

  it("is the one that a name under localhost says, which need not be resolved", () => {
    expect(ofUrl("http://live.localhost:8645/v3/key")).toEqual({
      url: "http://localhost:8645/v3/key",
      host: "live.localhost:8645"
    })
  })

  it("leaves a URL as it is when there is none", () => {
    for (const url of ["http://127.0.0.1:8645/v3/key", "http://localhost:1", "https://node.example/v3/key?a=b"]) {
      expect(ofUrl(url)).toEqual({ url, host: undefined })
    }
  })

  it("keeps a name and password in the URL", () => {
    expect(ofUrl("http://user:pass@127.0.0.1:1/", "live")).toEqual({
      url: "http://user:pass@127.0.0.1:1/",
      host: "live.localhost:1"
    })
  })

  it("cannot be smuggled into a header or a path", () => {
    for (const network of ["", "a.b", "a b", "a\r\nx: y", "a/b", "-a", "a-", "@evil", "a".repeat(64)]) {
      expect(ofUrl("https://node.example", network)).toBe(
        "--network must be the name of a network: letters, digits and hyphens"
      )
    }
  })
})

describe("a URL whose path names a network", () => {
  it("is asked as it is", () => {
    for (const url of ["http://127.0.0.1:8645/history/v3/key", "https://node.example/history/v3/key"]) {
      expect(ofUrl(url)).toEqual({ url, host: undefined })
      expect(ofUrl(url, "history")).toEqual({ url, host: undefined })
    }
  })

  it("is not asked for another one: the path counts, and the answers would be of the wrong chain", () => {
    for (const host of ["127.0.0.1:8645", "localhost", "live.localhost:8645", "node.example"]) {
      expect(ofUrl(`http://${host}/history/v3/key`, "live")).toBe(
        "--network: the path of --url names the network history already. Leave one of them out"
      )
    }
  })

  it("is not one whose path means something else", () => {
    expect(ofUrl("https://node.example/api/v3/key", "live")).toEqual({
      url: "https://live.node.example/api/v3/key",
      host: undefined
    })
    expect(ofUrl("http://127.0.0.1/history/v3/key/deep", "live")).toMatchObject({ host: "live.localhost" })
  })
})

describe("a URL that is none", () => {
  it("is refused without being repeated", () => {
    for (const url of ["", "secret", "ws://127.0.0.1:1/v3/secret", "file:///secret", "http://"]) {
      expect(ofUrl(url)).toBe("--url must be an http:// or https:// URL")
    }
  })
})

describe("a network of the service", () => {
  const service = {
    url: "http://127.0.0.1:8645",
    apiKey: "0123",
    networks: [
      { name: "live", host: "live.localhost:8645", chainId: 31_337 },
      { name: "history", host: "history.localhost:8645", chainId: 1 }
    ]
  }

  it("is the first when none is named", () => {
    const endpoint = Result.getOrThrow(NodeEndpoint.ofService(service, undefined))
    expect(Redacted.value(endpoint.url)).toBe("http://127.0.0.1:8645/v3/0123")
    expect(endpoint.host).toBeUndefined()
    expect(JSON.stringify(endpoint)).not.toContain("0123")
  })

  it("is reached by its host", () => {
    expect(Result.getOrThrow(NodeEndpoint.ofService(service, "history")).host).toBe("history.localhost:8645")
  })

  it("is reached by its path, where the service has one: no name has to be resolved", () => {
    const networks = service.networks.map((network) => ({ ...network, url: `${service.url}/${network.name}` }))
    const endpoint = Result.getOrThrow(NodeEndpoint.ofService({ ...service, networks }, "history"))
    expect(Redacted.value(endpoint.url)).toBe("http://127.0.0.1:8645/history/v3/0123")
    expect(endpoint.host).toBeUndefined()
  })

  it("must be one of them", () => {
    const failure = Result.getOrThrow(Result.flip(NodeEndpoint.ofService(service, "mainnet")))
    expect(failure.message).toBe('the service has no network "mainnet", only: live, history')
  })
})
