/** Kept draws of the posterior, chains one after the other. Arrays only: it crosses threads. */
export interface Draws {
  readonly chains: number;
  /** Of each chain. */
  readonly length: number;
  readonly channels: number;
  /** By draw and channel: the share of the target. */
  readonly share: Float64Array;
  /** By draw and channel: the grid point, or `NO_POINT`. */
  readonly point: Uint16Array;
  /** By draw: index into `RHOS`. */
  readonly rho: Uint8Array;
  /** By draw: the noise variance, of a target of mean 1. */
  readonly sigma2: Float64Array;
}

export function emptyDraws(chains: number, length: number, channels: number): Draws {
  const count = chains * length;
  return {
    chains,
    length,
    channels,
    share: new Float64Array(count * channels),
    point: new Uint16Array(count * channels),
    rho: new Uint8Array(count),
    sigma2: new Float64Array(count),
  };
}

/** The shares of one channel, in the order of the draws. */
export function sharesOf({ share, channels, chains, length }: Draws, channel: number): Float64Array {
  return Float64Array.from({ length: chains * length }, (_, draw) => share[draw * channels + channel] ?? 0);
}
