/**
 * Recovers public keys on the curve secp256k1, with the point arithmetic of @noble/curves.
 *
 * `secp256k1` of @noble/curves recovers keys too, but it can also sign. Its SHA-256, HMAC, DER and key generation add
 * 6.7 kB after gzip that no reader of a chain needs. The arithmetic and its time are the same.
 *
 * Source: SEC 2, section 2.4.1; SEC 1, section 4.1.6; the endomorphism of Gallant, Lambert and Vanstone (2001).
 */
import { Field } from "@noble/curves/abstract/modular.js"
import { weierstrass } from "@noble/curves/abstract/weierstrass.js"
import { bytesToNumberBE } from "@noble/curves/utils.js"

/** Prime of the field. */
const P = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn

/** Order of the base point. */
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const Point = /* @__PURE__ */ weierstrass(
  {
    p: P,
    n: N,
    h: 1n,
    a: 0n,
    b: 7n,
    Gx: 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
    Gy: 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n
  },
  {
    Fp: /* @__PURE__ */ Field(P),
    // with this endomorphism, a multiplication takes half as many point doublings
    endo: {
      beta: 0x7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501een,
      basises: [
        [0x3086d221a7d46bcde86c90e49284eb15n, -0xe4437ed6010e88286f547fa90abfe4c3n],
        [0x114ca50f7a8e2f3f657c1108d9d44cfd8n, 0x3086d221a7d46bcde86c90e49284eb15n]
      ]
    }
  }
)

/**
 * Returns `x` and `y` of the key, and throws if there is none. The arguments are those of `RecoveryEngine.recover`. `r` must be
 * at least 1 and below the order of the curve.
 */
export const recover = (digest: Uint8Array, signature: Uint8Array, parity: 0 | 1): Uint8Array => {
  const { BASE, Fn } = Point
  const r = signature.subarray(0, 32)
  const compressed = new Uint8Array(33)
  compressed[0] = 2 + parity
  compressed.set(r, 1)
  const nonce = Point.fromBytes(compressed)
  const inverse = Fn.inv(Fn.fromBytes(r))
  const ofBase = Fn.mul(Fn.neg(Fn.create(bytesToNumberBE(digest))), inverse)
  const ofNonce = Fn.mul(Fn.fromBytes(signature.subarray(32)), inverse)
  return BASE.mulAddUnsafe(ofBase, nonce, ofNonce).toBytes(false).subarray(1)
}
