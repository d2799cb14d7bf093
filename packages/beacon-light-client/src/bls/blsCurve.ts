/**
 * BLS12-381 from the parts of @noble/curves: both groups, the hash to G2 and the pairing.
 *
 * The library's own module of the curve also contains signatures in G1, their hash and every encoding. These take a
 * third of that module's compressed size, and a light client does not use them. The arithmetic here is the library's;
 * the parameters come from the standards. The orders are computed from the parameter of the family, and the
 * coefficients of the isogeny are written as fractions.
 *
 * Source: draft-irtf-cfrg-pairing-friendly-curves-11 section 4.2.1, and RFC 9380 section 8.8.2 and appendices E.3, G.3.
 */
import { blsBasic } from "@noble/curves/abstract/bls.js"
import { hash_to_field, isogenyMap, mapToCurveSimpleSWU } from "@noble/curves/abstract/hash-to-curve.js"
import { Field } from "@noble/curves/abstract/modular.js"
import { type Fp12, type Fp2, psiFrobenius, tower12 } from "@noble/curves/abstract/tower.js"
import { weierstrass, type WeierstrassPoint, type WeierstrassPointCons } from "@noble/curves/abstract/weierstrass.js"
import { sha256 } from "@noble/hashes/sha2.js"

/** The domain separation tag of Ethereum's signatures in G2, with proofs of possession. */
const DOMAIN = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_"

/** A point over the base field: a key. */
export type G1 = WeierstrassPoint<bigint>

/** A point over the quadratic extension: a signature. */
export type G2 = WeierstrassPoint<Fp2>

/** The curve. */
export interface BlsCurve {
  /** The order of the base field. */
  readonly order: bigint
  /** Returns a `y` of the curve over the base field for this `x`. Throws if there is none. */
  readonly yOfG1: (x: bigint) => bigint
  /** Returns a `y` of the curve over the extension for this `x`. Throws if there is none. */
  readonly yOfG2: (x: Fp2) => Fp2
  readonly G1: WeierstrassPointCons<bigint>
  readonly G2: WeierstrassPointCons<Fp2>
  /** Returns the point of the subgroup of G2 to which a message hashes. */
  readonly hash: (message: Uint8Array) => G2
  /**
   * True if the product of the pairings is one. All points must be finite and in their subgroups. This is not checked
   * here, because the readers and the hash ensure it.
   */
  readonly isOne: (pairs: Array<{ readonly g1: G1; readonly g2: G2 }>) => boolean
}

/** The absolute value of the parameter of the family, which is negative. All orders follow from it. */
const X = 0xd201000000010000n

const BITS_OF_X = 64

/** The order of both subgroups. */
const N = X ** 4n - X ** 2n + 1n

/** The cofactor of G1: the number of points on the curve divided by the number in the subgroup. */
const COFACTOR_1 = (X + 1n) ** 2n / 3n

/** The order of the base field. */
const P = COFACTOR_1 * N - X

/** The cofactor of G2: the number of points on the curve divided by the number in the subgroup. */
const COFACTOR_2 =
  (X ** 8n + 4n * X ** 7n + 5n * X ** 6n - 4n * X ** 4n - 6n * X ** 3n - 4n * X ** 2n + 4n * X + 13n) / 9n

/** The `x` of the generator of G1. */
const GENERATOR_1 = 0x17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bbn
/** The `x` of the generator of G2. */
const GENERATOR_2: [bigint, bigint] = [
  0x024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8n,
  0x13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7en
]

let made: BlsCurve | undefined

/** Returns the curve, which is made when it is first needed. */
export const get = (): BlsCurve => (made ??= make())

const make = (): BlsCurve => {
  const tower: Tower = tower12({
    ORDER: P,
    X_LEN: BITS_OF_X,
    FP2_NONRESIDUE: [1n, 1n],
    // the curve over the extension is y^2 = x^3 + 4 (1 + u)
    Fp2mulByB: (value: Fp2): Fp2 => tower.Fp2.mul(tower.Fp2.mulByNonresidue(value), 4n),
    Fp12finalExponentiate: (value: Fp12): Fp12 => finalExponentiation(tower, value)
  })
  const { Fp, Fp12, Fp2, Fp6 } = tower
  const Fr = Field(N, { modFromBytes: true })

  const cubeRootOfOne = Fp.pow(2n, (P - 1n) / 3n)
  const b2 = Fp2.mul(Fp2.NONRESIDUE, 4n)
  const { G2psi, G2psi2 } = psiFrobenius(Fp, Fp2, Fp2.inv(Fp2.NONRESIDUE))
  const byX = <T>(point: WeierstrassPoint<T>): WeierstrassPoint<T> => point.multiplyUnsafe(X).negate()

  const yOfG1 = (x: bigint): bigint => Fp.sqrt(Fp.add(Fp.mul(Fp.sqr(x), x), 4n))
  const yOfG2 = (x: Fp2): Fp2 => Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), b2))
  const generator2 = Fp2.fromBigTuple(GENERATOR_2)

  const G1 = weierstrass<bigint>(
    {
      p: P,
      n: N,
      h: COFACTOR_1,
      a: 0n,
      b: 4n,
      Gx: GENERATOR_1,
      Gy: yOfG1(GENERATOR_1)
    },
    {
      Fp,
      Fn: Fr,
      // https://eprint.iacr.org/2021/1130
      isTorsionFree: (Point, point) =>
        byX(byX(point))
          .negate()
          .equals(new Point(Fp.mul(point.X, cubeRootOfOne), point.Y, point.Z))
    }
  )
  const G2 = weierstrass<Fp2>(
    {
      p: Fp2.ORDER,
      n: N,
      h: COFACTOR_2,
      a: Fp2.ZERO,
      b: b2,
      Gx: generator2,
      // the generator has the smaller `y`, and the square root is the larger one
      Gy: Fp2.neg(yOfG2(generator2))
    },
    {
      Fp: Fp2,
      Fn: Fr,
      // https://eprint.iacr.org/2021/1130
      isTorsionFree: (Point, point) => byX(point).equals(G2psi(Point, point)),
      // RFC 9380, appendix G.3
      clearCofactor: (Point, point) => {
        const one = byX(point)
        const psi = G2psi(Point, point)
        const rest = G2psi2(Point, point.double()).subtract(psi).subtract(one).subtract(point)
        return byX(one.add(psi)).add(rest)
      }
    }
  )

  const { millerLoopBatch, utils } = blsBasic({ Fp, Fr, Fp2, Fp6, Fp12 }, G1, G2, {
    ateLoopSize: X,
    xNegative: true,
    twistType: "multiplicative"
  })
  return {
    order: P,
    yOfG1,
    yOfG2,
    G1,
    G2,
    hash: hashTo(tower, G2),
    isOne: (pairs) => {
      const prepared = pairs.map(({ g1, g2 }): Parameters<typeof millerLoopBatch>[0][number] => {
        const { x, y } = g1.toAffine()
        return [utils.calcPairingPrecomputes(g2), x, y]
      })
      return Fp12.eql(finalExponentiation(tower, millerLoopBatch(prepared)), Fp12.ONE)
    }
  }
}

type Tower = ReturnType<typeof tower12>

const powerOfX = ({ Fp12 }: Tower, value: Fp12): Fp12 => Fp12.conjugate(Fp12._cyclotomicExp(value, X))

/** Raises to a multiple of `(p^12 - 1) / n`, by the steps of the library's own module. */
const finalExponentiation = (tower: Tower, value: Fp12): Fp12 => {
  const { Fp12 } = tower
  const easy = Fp12.div(Fp12.conjugate(value), value)
  const a = Fp12.mul(Fp12.frobeniusMap(easy, 2), easy)
  const b = powerOfX(tower, a)
  const c = Fp12.mul(Fp12.conjugate(Fp12._cyclotomicSquare(a)), b)
  const d = powerOfX(tower, c)
  const e = powerOfX(tower, d)
  const f = Fp12.mul(powerOfX(tower, e), Fp12._cyclotomicSquare(b))
  const g = powerOfX(tower, f)
  return [
    Fp12.frobeniusMap(Fp12.mul(d, a), 3),
    Fp12.frobeniusMap(Fp12.mul(f, Fp12.conjugate(a)), 1),
    Fp12.mul(Fp12.mul(g, Fp12.conjugate(c)), a)
  ].reduce((product, factor) => Fp12.mul(product, factor), Fp12.frobeniusMap(Fp12.mul(b, e), 2))
}

/** Returns the hash of a message to a point of G2: the suite BLS12381G2_XMD:SHA-256_SSWU_RO_ of RFC 9380. */
const hashTo = ({ Fp, Fp2 }: Tower, G2: BlsCurve["G2"]): BlsCurve["hash"] => {
  /** Returns `(c0 + c1 u) / by` of the extension. */
  const fraction = (c0: number, c1: number, by = 1): Fp2 => {
    const inverse = Fp.inv(BigInt(by))
    return Fp2.create({ c0: Fp.mul(Fp.create(BigInt(c0)), inverse), c1: Fp.mul(Fp.create(BigInt(c1)), inverse) })
  }
  const one = fraction(1, 0)
  const toCurve = isogenyMap(Fp2, [
    [fraction(304, 304, 9), fraction(0, -8, 3), fraction(4, -4, 3), fraction(1, 0, 9)],
    [fraction(0, -72), fraction(12, -12), one],
    [fraction(752, 752, 27), fraction(0, 88, 9), fraction(-2, 2, 3), fraction(-1, 0, 27)],
    [fraction(-432, -432), fraction(0, -216), fraction(18, -18), one]
  ])
  const toIsogenous = mapToCurveSimpleSWU(Fp2, {
    A: fraction(0, 240),
    B: fraction(1012, 1012),
    Z: fraction(-2, -1)
  })
  const fieldOptions = { DST: DOMAIN, p: P, m: 2, k: 128, expand: "xmd", hash: sha256 } as const
  return (message) =>
    hash_to_field(message, 2, fieldOptions)
      .map(([c0, c1]) => {
        const { x, y } = toIsogenous({ c0: c0!, c1: c1! })
        return G2.fromAffine(toCurve(x, y))
      })
      .reduce((sum, point) => sum.add(point))
      .clearCofactor()
}
