import { describe, expect, it } from '@jest/globals';
import { typeOfName } from './keyword-rules.js';

describe('typeOfName', () => {
  it.each([
    ['Example Tor Exit Association', 'tor'],
    ['Torrent Telecom', 'isp'],
    ['Example VPN Hosting Ltd', 'vpn'],
    ['Strong Technology, LLC', 'vpn'],
    ['Example Hosting GmbH', 'hosting'],
    ['Servidores de Ejemplo S.L.', 'hosting'],
    ['Sunucu Bilisim A.S.', 'hosting'],
    ['Example Data Centre Ltd', 'hosting'],
    ['Example Telecom Cloud Services', 'hosting'],
    ['Hostelería Wireless', 'isp'],
    ['Example Web Ltd', 'hosting'],
    ['Example Web Telecomunicacoes Ltda', 'isp'],
    ['Webster Bank', undefined],
    ['Example Virtual Systems', 'hosting'],
    ['Hetzner Online GmbH', 'hosting'],
    ['University of Example', 'education'],
    ['Universidad de Ejemplo', 'education'],
    ['Fachhochschule Beispiel', 'education'],
    ['Ministry of Example', 'government'],
    ['City of Example', 'government'],
    ['Example Mobile Communications', 'mobile'],
    ['Automobile Example', undefined],
    ['Exxon Mobil Corporation', undefined],
    ['Example Telekom A.S.', 'isp'],
    ['Example Fiber LLC', 'isp'],
    ['Beispiel Kabel GmbH', 'isp'],
    ['Acme Bank AG', undefined],
    ['', undefined],
  ])('takes %j for %s', (name, type) => {
    expect(typeOfName(name)).toBe(type);
  });

  it('takes no time for a name that is long and odd', () => {
    const start = performance.now();
    typeOfName('web'.repeat(50_000));
    typeOfName(`${' '.repeat(50_000)}com${'m'.repeat(50_000)}`);
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});
