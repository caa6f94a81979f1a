// The validity of configurations by VAMP, for `--bench outside`, which says how to build this program.
//
//   vamp INPUT
//
// INPUT has 32-bit numbers: the number of configurations, a multiple of eight, seven joints of each as fractions of
// their ranges, the number of scenes, and for each scene the number of its spheres, and x, y, z and radius of each.
//
// Commands are lines. `spheres PATH` writes the 59 spheres of all configurations. `kinematics`, `motions SCENE` and
// `poses SCENE` print the nanoseconds of a configuration, and `answers PATH` writes a byte for each motion of eight
// configurations or each pose of the last call: whether it is valid.

#include <cstdint>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <vamp/robots/panda.hh>

using Robot = vamp::robots::Panda;
using Lanes = vamp::FloatVector<8>;
using Block = Robot::ConfigurationBlock<8>;

// Nanoseconds of this thread's CPU, so that other programs on the machine count less.
double now()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * time.tv_sec + time.tv_nsec;
}

template <typename T>
T read(std::ifstream &file)
{
    T value{};
    file.read(reinterpret_cast<char *>(&value), sizeof(T));
    return value;
}

int main(int, char **arguments)
{
    std::ifstream input(arguments[1], std::ios::binary);
    const auto count = read<std::uint32_t>(input);
    std::vector<Block> motions, poses;
    for (std::uint32_t first = 0; first < count; first += 8)
    {
        std::array<std::array<float, 8>, 7> joints;
        for (auto lane = 0U; lane < 8; ++lane)
        {
            for (auto &joint : joints)
            {
                joint[lane] = read<float>(input);
            }
        }
        Block motion;
        for (auto k = 0U; k < 7; ++k)
        {
            motion[k] = Lanes(joints[k]);
        }
        Robot::scale_configuration_block<8>(motion);
        motions.push_back(motion);
        // A pose by itself is eight times the same, as in `validate` of VAMP's Python package.
        for (auto lane = 0U; lane < 8; ++lane)
        {
            Block pose;
            for (auto k = 0U; k < 7; ++k)
            {
                pose[k] = Lanes::fill(joints[k][lane]);
            }
            Robot::scale_configuration_block<8>(pose);
            poses.push_back(pose);
        }
    }
    std::vector<vamp::collision::Environment<Lanes>> scenes;
    for (auto left = read<std::uint32_t>(input); left > 0; --left)
    {
        vamp::collision::Environment<float> scene;
        for (auto spheres = read<std::uint32_t>(input); spheres > 0; --spheres)
        {
            const auto x = read<float>(input), y = read<float>(input), z = read<float>(input), r = read<float>(input);
            scene.spheres.emplace_back(x, y, z, r);
        }
        scene.sort();
        scenes.emplace_back(scene);
    }
    if (!input)
    {
        std::cerr << "the input ends early\n";
        return 1;
    }

    std::vector<std::uint8_t> answers;
    std::string command, path;
    std::size_t scene = 0;
    float sum = 0;
    while (std::cin >> command)
    {
        if (command == "spheres" || command == "answers")
        {
            std::cin >> path;
            std::ofstream output(path, std::ios::binary);
            if (command == "answers")
            {
                output.write(reinterpret_cast<const char *>(answers.data()), answers.size());
            }
            for (const auto &pose : command == "spheres" ? poses : std::vector<Block>{})
            {
                Robot::Spheres<8> own;
                Robot::sphere_fk<8>(pose, own);
                for (auto k = 0U; k < Robot::n_spheres; ++k)
                {
                    const float sphere[] = {own.x[{k, 0}], own.y[{k, 0}], own.z[{k, 0}], own.r[{k, 0}]};
                    output.write(reinterpret_cast<const char *>(sphere), sizeof sphere);
                }
            }
            std::cout << 0 << std::endl;
            continue;
        }
        if (command != "kinematics")
        {
            std::cin >> scene;
        }
        const auto start = now();
        if (command == "kinematics")
        {
            for (const auto &motion : motions)
            {
                Robot::Spheres<8> own;
                Robot::sphere_fk<8>(motion, own);
                sum += own.x[{58, 0}] + own.y[{30, 0}];
                asm volatile("" : : "r"(&own) : "memory");
            }
        }
        else
        {
            answers.clear();
            for (const auto &block : command == "motions" ? motions : poses)
            {
                answers.push_back(Robot::fkcc<8>(scenes[scene], block));
            }
        }
        const auto time = now() - start;
        std::cout << time / count << std::endl;
    }
    std::cerr << (sum == 0.5F ? "\n" : "");
}
