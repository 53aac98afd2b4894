import { Injectable } from '@nestjs/common';

/** The name under which this process reads; set when messaging is connected. */
@Injectable()
export class ConsumerGroup {
  id = 'not connected';
}
