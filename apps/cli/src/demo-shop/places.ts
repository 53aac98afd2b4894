export interface Place {
  country: string;
  region: string;
  city: string;
  locale: string;
  weight: number;
}

/** Country, locale, then city, region and weight: names as their people write them, some with marks that files must survive. */
const COUNTRIES: readonly [country: string, locale: string, cities: readonly [string, string, number][]][] = [
  [
    'US',
    'en-US',
    [
      ['New York', 'New York', 60],
      ['Brooklyn', 'New York', 34],
      ['Los Angeles', 'California', 48],
      ['San José', 'California', 16],
      ['Chicago', 'Illinois', 34],
      ["Coeur d'Alene", 'Idaho', 4],
      ['Austin', 'Texas', 24],
      ['Houston', 'Texas', 26],
      ['Seattle', 'Washington', 22],
      ['Portland', 'Oregon', 18],
      ['Boston', 'Massachusetts', 20],
      ['Washington, D.C.', 'District of Columbia', 14],
    ],
  ],
  [
    'GB',
    'en-GB',
    [
      ['London', 'England', 52],
      ['Manchester', 'England', 16],
      ["King's Lynn", 'England', 3],
      ['Bristol', 'England', 10],
      ['Edinburgh', 'Scotland', 11],
      ['Cardiff', 'Wales', 6],
    ],
  ],
  [
    'DE',
    'de-DE',
    [
      ['Berlin', 'Berlin', 40],
      ['Hamburg', 'Hamburg', 22],
      ['München', 'Bayern', 24],
      ['Nürnberg', 'Bayern', 8],
      ['Köln', 'Nordrhein-Westfalen', 18],
      ['Düsseldorf', 'Nordrhein-Westfalen', 12],
      ['Leipzig', 'Sachsen', 9],
    ],
  ],
  ['AT', 'de-AT', [['Wien', 'Wien', 14], ['Graz', 'Steiermark', 4], ['Sankt Pölten', 'Niederösterreich', 2]]],
  ['CH', 'de-CH', [['Zürich', 'Zürich', 11], ['Bern', 'Bern', 4], ['Genève', 'Genève', 5]]],
  [
    'FR',
    'fr-FR',
    [
      ['Paris', 'Île-de-France', 30],
      ['Lyon', 'Auvergne-Rhône-Alpes', 10],
      ["L'Haÿ-les-Roses", 'Île-de-France', 2],
      ['Saint-Étienne', 'Auvergne-Rhône-Alpes', 3],
      ['Marseille', "Provence-Alpes-Côte d'Azur", 8],
    ],
  ],
  ['NL', 'nl-NL', [['Amsterdam', 'Noord-Holland', 13], ["'s-Hertogenbosch", 'Noord-Brabant', 4], ['Utrecht', 'Utrecht', 6]]],
  ['ES', 'es-ES', [['Madrid', 'Comunidad de Madrid', 14], ['Málaga', 'Andalucía', 5], ['A Coruña', 'Galicia', 3]]],
  ['PT', 'pt-PT', [['Lisboa', 'Lisboa', 5], ['Évora', 'Évora', 1]]],
  ['IT', 'it-IT', [['Milano', 'Lombardia', 9], ['Roma', 'Lazio', 9], ["L'Aquila", 'Abruzzo', 1], ['Forlì', 'Emilia-Romagna', 1]]],
  ['PL', 'pl-PL', [['Warszawa', 'Mazowieckie', 8], ['Łódź', 'Łódzkie', 4], ['Kraków', 'Małopolskie', 5]]],
  ['DK', 'da-DK', [['København', 'Hovedstaden', 7], ['Aarhus', 'Midtjylland', 3]]],
  ['SE', 'sv-SE', [['Stockholm', 'Stockholms län', 8], ['Malmö', 'Skåne län', 3]]],
  ['BR', 'pt-BR', [['São Paulo', 'São Paulo', 7], ['Belém', 'Pará', 1]]],
  ['CA', 'en-CA', [['Toronto', 'Ontario', 16], ['Montréal', 'Québec', 8], ["St. John's", 'Newfoundland and Labrador', 2]]],
  ['JP', 'ja-JP', [['東京', '東京都', 4], ['大阪', '大阪府', 2]]],
]; // prettier-ignore

export const PLACES: readonly Place[] = COUNTRIES.flatMap(([country, locale, cities]) =>
  cities.map(([city, region, weight]) => ({ country, region, city, locale, weight })),
);
