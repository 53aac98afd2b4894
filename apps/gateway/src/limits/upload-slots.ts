import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '#contracts/errors.js';
import { gauge } from '#runtime/metrics.js';
import { GatewayConfig } from '../gateway.config.js';

/** Bounds the uploads that are received at once, and with them the memory of the gateway. */
@Injectable()
export class UploadSlots {
  private taken = 0;

  constructor(@Inject(GatewayConfig) private readonly config: GatewayConfig) {
    const taken = (): number => this.taken;
    gauge({
      name: 'tallyport_uploads_in_flight',
      help: 'Uploads that are being received',
      collect() {
        this.set(taken());
      },
    });
  }

  /** @throws AppError `unavailable` when all slots are taken */
  async run<T>(receive: () => Promise<T>): Promise<T> {
    if (this.taken >= this.config.UPLOADS_AT_ONCE) {
      throw new AppError('unavailable', 'Too many uploads at once.', {
        headers: { 'Retry-After': '1', Connection: 'close' },
      });
    }
    this.taken++;
    try {
      return await receive();
    } finally {
      this.taken--;
    }
  }
}
