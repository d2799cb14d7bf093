/**
 * The endpoints of the admin API for a project's rules about the tokens of its users.
 */
import * as TokenRules from "@plumbline/gateway/accounts/TokenRules"
import * as KeyLimits from "@plumbline/gateway/limits/KeyLimits"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"

import { described, ofBody } from "./adminEndpoints.ts"
import * as AdminError from "./AdminError.ts"
import * as AdminModel from "./AdminModel.ts"

const optional = Schema.optionalKey

const { audience, required, toleranceSeconds } = TokenRules.TokenRules.fields

/**
 * The new rules of a project. `keys` is a JWK, a list of JWKs, or a JWK set. Private keys are refused.
 */
export const NewTokenRules = Schema.Struct({
  keys: Schema.Json.annotate({ description: "A public key as a JWK, a list of them, or a JWK set" }),
  required: optional(required),
  audience: optional(audience),
  userLimits: optional(KeyLimits.KeyLimits),
  toleranceSeconds: optional(toleranceSeconds)
}).annotate({
  identifier: "NewTokenRules",
  examples: [
    {
      keys: { keys: [{ kid: "2026", kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }] },
      required: true
    }
  ]
})

const params = { id: AdminModel.id("The id, as the service returned it") }

/**
 * The endpoints for a project's rules about the tokens of its users.
 */
export class TokensGroup extends HttpApiGroup.make("tokens")
  .add(
    HttpApiEndpoint.get("get", "/projects/:id/tokens", {
      params,
      success: TokenRules.TokenRules,
      error: AdminError.NotFound
    }).annotateMerge(described("The rules for tokens of a project's users")),
    HttpApiEndpoint.put("set", "/projects/:id/tokens", {
      params,
      payload: NewTokenRules,
      success: TokenRules.TokenRules,
      error: [AdminError.NotFound, ...ofBody]
    }).annotateMerge(described("Replaces the rules for tokens of a project's users")),
    HttpApiEndpoint.delete("remove", "/projects/:id/tokens", { params, error: AdminError.NotFound }).annotateMerge(
      described("Removes the rules: no token is valid, and none is required")
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      description:
        "A project that has users of its own signs tokens for them (JSON Web Tokens), and registers the public keys here. A user sends its token as `Authorization: Bearer`, beside the API key in the path."
    })
  ) {}
