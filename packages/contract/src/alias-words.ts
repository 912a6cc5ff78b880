/**
 * Words of generated alias names: common, inoffensive, easy to spell, 3 to 8 letters. The list is large, so it is
 * exported at a path of its own and only the server imports it.
 */

/** Unique words in lower case, in alphabetical order. */
export const aliasWords: readonly string[] = `
  acorn alder almond amber anchor antler apple apricot april apron arbor arch arrow aspen aster atlas autumn badge
  bagel baker balcony bamboo banjo banner barley barn basil basket bay beach beacon beam bean bear beaver bench berry
  birch bird bison blanket bloom blue board boat bonnet book boot bottle boulder bow bowl branch brass bread breeze
  brick bridge bright brook broom brush bucket buckle bugle button cabin cactus camel camera canal candle canoe canvas
  canyon caramel card cargo carpet carrot castle cedar cello chair chalk cherry chess chest cider cinder circle citrus
  clay cliff clock cloud clover coast cobalt cocoa comet compass copper coral cork corn cotton cover crane crate
  crayon creek cricket crisp crown crystal cup curtain cushion cypress daisy dance dawn deer delta denim desert
  dewdrop dolphin domino door dove dragon drum dune eagle earth easel echo elbow elder elm ember emerald engine
  evening falcon feather fern ferry fiddle field fig finch fir fjord flame flannel flute foam fog forest fossil
  fountain fox frost galaxy garden garlic garnet gate gecko geyser ginger giraffe glacier glass globe glove gold goose
  grain granite grape grass gravel green grove guitar hammock harbor harp harvest hazel hedge heron hill hinge honey
  horizon horse house ice indigo ink iris island ivory ivy jacket jade jasmine jelly jigsaw jungle juniper kayak
  kernel kettle kite kiwi koala ladder lagoon lake lamp lantern larch lark lava lavender leaf ledger lemon lentil
  lilac lily lime linen lion lizard llama lobster locket loom lotus lunar lupin magnet magnolia mango maple marble
  marina market marsh meadow melon meteor mint mirror mitten moon morning mosaic moss mountain muffin museum music
  mustard nectar nest night north nutmeg oak oasis oat ocean olive onion opal orange orbit orchard orchid otter oval
  owl oyster paddle paint palm panda papaya paper parade parcel parrot parsley pasta path peach peanut pear pearl
  pebble pelican pencil pepper petal piano pillow pine pixel planet plum pocket poem pollen pond poppy porch potter
  prairie prism puffin pumpkin puzzle quail quartz quilt rabbit radio raft rain raisin raven reef ribbon rice ridge
  river robin rocket rose ruby saddle saffron sail salmon sand sapphire scarf school seal season shadow shell shore
  silk silver sketch sky sleet snow solar sonnet spark sparrow spice spiral spoon spring spruce star stone storm
  stream summer sun sunset swan syrup table tablet tango teapot thistle thunder thyme tiger timber toast tomato topaz
  torch tower trail train tulip tundra turtle valley vanilla velvet village vine violet violin wagon walnut water wave
  whale wheat willow wind window winter wolf wood wool zebra zephyr zinnia
`
  .trim()
  .split(/\s+/);
