import type { Random } from './random.js';

export const SHOP_HOST = 'www.demo-shop.example';
export const CHECKOUT_HOST = 'checkout.demo-shop.example';
const BLOG_HOST = 'blog.demo-shop.example';

export interface Product {
  path: string;
  price: number;
  weight: number;
}

const PRODUCTS: readonly Product[] = [
  { path: '/products/monstera-deliciosa', price: 39.9, weight: 16 },
  { path: '/products/ficus-lyrata', price: 54, weight: 10 },
  { path: '/products/pilea-peperomioides', price: 14.5, weight: 14 },
  { path: '/products/strelitzia-nicolai', price: 89, weight: 5 },
  { path: '/products/calathea-orbifolia', price: 27.9, weight: 9 },
  { path: '/products/sansevieria-zeylanica', price: 19.9, weight: 13 },
  { path: '/products/übertopf-weiß-18cm', price: 17.5, weight: 9 },
  { path: '/products/terracotta-pot-24cm', price: 12.9, weight: 11 },
  { path: '/products/self-watering-planter', price: 34.9, weight: 6 },
  { path: '/products/plant-light-"sunny"', price: 49.9, weight: 4 },
  { path: '/products/soil-mix-10l', price: 8.9, weight: 9 },
  { path: '/products/gift-card', price: 50, weight: 3 },
];

const COLLECTIONS = [
  '/',
  '/collections/new',
  '/collections/easy-care',
  '/collections/large',
  '/collections/pots',
  '/collections/sale',
];
const ARTICLES = [
  '/watering-for-beginners',
  '/what-is-wrong-with-my-calathea',
  '/les-plantes-d’été',
  '/light,-water,-soil',
];
const SEARCHES = ['monstera', 'pot 18 cm', 'pet friendly', 'low light', 'düngen', 'calathea "white star"'];

export interface Page {
  host: string;
  path: string;
  product?: Product;
}

/** Where visitors of a kind of channel arrive. */
export function landingPage(random: Random, channelType: string): Page {
  if (channelType === 'referral' || (channelType === 'organic_search' && random.chance(0.35))) {
    return { host: BLOG_HOST, path: random.pick(ARTICLES) };
  }
  if (channelType === 'direct' || channelType === 'email') return { host: SHOP_HOST, path: random.pick(COLLECTIONS) };
  return random.chance(0.55) ? productPage(random) : { host: SHOP_HOST, path: random.pick(COLLECTIONS) };
}

export function nextPage(random: Random): Page {
  const turn = random.unit();
  if (turn < 0.55) return productPage(random);
  if (turn < 0.62) return { host: SHOP_HOST, path: `/search?q=${encodeURIComponent(random.pick(SEARCHES))}` };
  if (turn < 0.67) return { host: BLOG_HOST, path: random.pick(ARTICLES) };
  return { host: SHOP_HOST, path: random.pick(COLLECTIONS) };
}

export function productPage(random: Random): Page {
  const product = random.weighted(PRODUCTS, ({ weight }) => weight);
  return { host: SHOP_HOST, path: product.path, product };
}
